// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package money

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Bounds of one argument. What lies beyond them is opaque.
const (
	MaxValues   = 1000 // amounts
	MaxWhole    = 30   // digits before the point
	MaxFraction = 18   // digits behind it
	maxText     = 128  // bytes of one amount
)

// Options says what the tool does with the amount.
type Options struct {
	// Source is the JSON pointer of the argument, copied into every effect.
	Source string
	// Currency is the ISO 4217 code that amounts without one are in, such as the
	// value of another argument; "" is not known.
	Currency string
	// Minor says that the tool takes amounts in the smallest unit of the currency:
	// 1250 are 12.50 USD, and 1250 JPY.
	Minor bool
	// Negative says that the tool takes a negative amount for what it is. Where it
	// is not set, such an amount is opaque: a refund that is negative takes money.
	Negative bool
}

// Analyse returns the spend that the text says. It is pure, safe for concurrent
// use, takes bounded time, and never returns an empty list.
func Analyse(text string, o Options) (effects []toolverdict.Effect) {
	defer rescue(&effects, o.Source)
	if len(text) > maxText {
		return []toolverdict.Effect{opaque(o.Source, "more text than any amount has")}
	}
	number, code := cutCode(strings.Trim(text, " "))
	r := reading{o: &o}
	r.currency(code)
	r.text(number)
	return r.effects()
}

// AnalyseValue is [Analyse] for an argument: a number, a string, an object with
// an amount (or value) and a currency, or a list of them. Everything else is
// opaque; an empty list has no effects.
func AnalyseValue(v toolverdict.Value, o Options) []toolverdict.Effect {
	if v.Kind() != canon.KindArray {
		return analyseOne(v, o)
	}
	var effects []toolverdict.Effect
	for i, item := range v.Items() {
		if i >= MaxValues {
			return append(effects, opaque(o.Source, "more amounts than are looked at"))
		}
		own := o
		own.Source += "/" + strconv.Itoa(i)
		effects = append(effects, analyseOne(item, own)...)
	}
	return effects
}

func analyseOne(v toolverdict.Value, o Options) []toolverdict.Effect {
	switch v.Kind() {
	case canon.KindNumber:
		return analyseNumber(v.RawText(), o)
	case canon.KindString:
		return Analyse(v.Text(), o)
	case canon.KindObject:
		return analyseObject(v, o)
	}
	return []toolverdict.Effect{opaque(o.Source, "no amount where one is expected")}
}

// analyseNumber reads a JSON number, all of whose forms mean one thing.
func analyseNumber(raw string, o Options) (effects []toolverdict.Effect) {
	defer rescue(&effects, o.Source)
	r := reading{o: &o}
	r.currency("")
	if d, ok := scientific(raw); ok {
		r.amount(d)
	} else {
		r.refuse("a number with more digits than any amount has")
	}
	return r.effects()
}

// analyseObject reads the forms that payment services use.
func analyseObject(v toolverdict.Value, o Options) []toolverdict.Effect {
	var amount toolverdict.Value
	coded := false
	for name, field := range v.Fields() {
		switch name {
		case "amount", "value":
			if !amount.IsZero() {
				return []toolverdict.Effect{opaque(o.Source, "two amounts in one")}
			}
			amount = field
		case "currency", "currency_code", "currencyCode":
			code := strings.ToUpper(field.Text())
			if coded || field.Kind() != canon.KindString || !known(code) || o.Currency != "" && !strings.EqualFold(o.Currency, code) {
				return []toolverdict.Effect{opaque(o.Source, "a currency that is not known, or two of them")}
			}
			o.Currency, coded = code, true
		default:
			return []toolverdict.Effect{opaque(o.Source, "an object that is no amount: give it an amount and a currency")}
		}
	}
	if amount.Kind() != canon.KindNumber && amount.Kind() != canon.KindString {
		return []toolverdict.Effect{opaque(o.Source, "an object without an amount")}
	}
	return analyseOne(amount, o)
}

// reading gathers what an amount may be.
type reading struct {
	o       *Options
	code    string
	amounts []decimal
	doubt   string // why some program reads another amount
	fail    string // why there is none
}

func (r *reading) suspect(why string) {
	if r.doubt == "" {
		r.doubt = why
	}
}

func (r *reading) refuse(why string) {
	if r.fail == "" {
		r.fail = why
	}
}

// currency settles the currency, from the text or from the options.
func (r *reading) currency(inText string) {
	declared := strings.ToUpper(r.o.Currency)
	switch r.code = inText; {
	case declared != "" && !known(declared):
		r.refuse("a currency that is not known: use its ISO 4217 code")
	case inText == "":
		r.code = declared
	case declared != "" && declared != inText:
		r.suspect("another currency than the one that was given for it")
	}
}

// amount adds a reading.
func (r *reading) amount(d decimal) {
	if r.o.Minor {
		digits, ok := minorDigits(r.code)
		switch {
		case r.code == "":
			r.refuse("an amount in the smallest unit of a currency that is not known")
		case !ok:
			r.suspect("a currency whose smallest unit payment services do not agree on")
		}
		if d.fraction != "" {
			r.suspect("a fraction of the smallest unit")
		}
		d = d.shift(-digits)
	}
	if d.negative {
		switch {
		case d.isZero():
			r.suspect("a negative zero")
		case !r.o.Negative:
			r.suspect("a negative amount, which turns the payment around")
		}
	}
	if len(d.whole) > MaxWhole || len(d.fraction) > MaxFraction {
		r.refuse("more digits than any amount has")
	}
	if !slices.Contains(r.amounts, d) {
		r.amounts = append(r.amounts, d)
	}
}

func (r *reading) effects() []toolverdict.Effect {
	if r.fail != "" {
		return []toolverdict.Effect{opaque(r.o.Source, r.fail)}
	}
	effects := make([]toolverdict.Effect, 0, len(r.amounts)+1)
	for _, d := range r.amounts {
		effects = append(effects, toolverdict.Effect{
			Kind: toolverdict.EffectSpend, Source: r.o.Source, Amount: d.String(), Currency: r.code,
		})
	}
	if r.doubt != "" {
		effects = append(effects, opaque(r.o.Source, r.doubt))
	}
	return effects
}

func rescue(effects *[]toolverdict.Effect, source string) {
	if recover() != nil {
		*effects = []toolverdict.Effect{opaque(source, "the analyser failed on this amount")}
	}
}

func opaque(source, why string) toolverdict.Effect {
	return toolverdict.Effect{Kind: toolverdict.EffectOpaque, Source: source, Detail: why}
}
