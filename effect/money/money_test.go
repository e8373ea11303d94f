// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package money_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/money"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// show writes effects the way the tables here do: "amount currency", and "opaque".
func show(effects []tv.Effect) string {
	parts := make([]string, len(effects))
	for i, e := range effects {
		if parts[i] = strings.TrimSpace(e.Amount + " " + e.Currency); e.Kind != tv.EffectSpend {
			parts[i] = string(e.Kind)
		}
	}
	return strings.Join(parts, "; ")
}

// TestPlain holds amounts that all programs read alike.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "5": "5", "100": "100", "12.5": "12.5", "12.50": "12.5", "12.00": "12", "0.01": "0.01", "0.0": "0", "0.125": "0.125", " 5 ": "5", "+5": "5",
		"12.50 USD": "12.5 USD", "USD 12.50": "12.5 USD", "usd 12.50": "12.5 USD", "12.50usd": "12.5 USD", "EUR12": "12 EUR", "12   EUR": "12 EUR", "1 JPY": "1 JPY",
		"1.125 KWD": "1.125 KWD", "999999999999999999.99": "999999999999999999.99", "123456789012345678901234567890": "123456789012345678901234567890",
		"0.000000000000000001": "0.000000000000000001", "9007199254740993": "9007199254740993", "1,234.56": "1234.56", "1.234,56": "1234.56", "1,234,567": "1234567", "1.234.567": "1234567",
		"1,234,567.89 USD": "1234567.89 USD", "1.234.567,8 EUR": "1234567.8 EUR", "12,34,567": "1234567", "1,00,000.50 INR": "100000.5 INR", "1234.5678": "1234.5678", "10.1": "10.1",
		"1000.123": "1000.123", "100,000.00": "100000",
	} {
		if diff := cmp.Diff(want, show(money.Analyse(text, money.Options{}))); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestDoubtful holds what programs read differently, or what hides an amount.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1,000": "1; 1000; opaque", "12,5": "12.5; 125; opaque", "12,50 EUR": "12.5 EUR; 1250 EUR; opaque", ",5": "0.5; 5; opaque", "5,": "5; opaque",
		"1.000": "1; 1000; opaque", "12.345 USD": "12.345 USD; 12345 USD; opaque", "999.999": "999.999; 999999; opaque",
		"-5": "-5; opaque", "-5 USD": "-5 USD; opaque", "USD -5": "-5 USD; opaque", "-USD 5": "-5 USD; opaque", "-0": "0; opaque", "-0.00": "0; opaque", "-1,234.5": "-1234.5; opaque",
		"007": "7; opaque", "010": "10; opaque", "00.5": "0.5; opaque", ".5": "0.5; opaque", "5.": "5; opaque", "1e3": "1000; opaque", "1E+2 USD": "100 USD; opaque", "1e-3": "0.001; opaque", "2.5e1": "25; opaque",
		"+-5": "-5; opaque", "-1e2": "-100; opaque",
	} {
		if diff := cmp.Diff(want, show(money.Analyse(text, money.Options{}))); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"", " ", ".", ",", "-", "+", "--5", "$5", "5$", "US$ 5", "€5", "£5", "5 dollars", "5 XYZ", "XYZ 5", "BTC 1", "USD", "USD USD 5", "USD 5 EUR", "USD 5 USD", "5 USD EUR",
		"1 000", "1'000", "1_000", "1\u00a0000", "1\u202f000", "１２", "٣", "−5", "(5)", "5-", "5%", "0x10", "0b1", "0o7", "NaN", "Infinity", "-inf", "1e", "e5", "1e5e5", "1e400", "1e49", "1e-49", "5k", "5m", "five",
		"10-20", "10 to 20", "5;6", "5\n", "\t5", "5\x00", "1,23,45", "1,2,3", "1,,000", "1.2.3", "1.000,00,0", "1,000.00.0", "1.23,456.7", "0,123,456", "1234,567,890", "1,0000,000", ",123,456", "1,234.", "1.234,",
		"1,23.45", "1234567890123456789012345678901", "0.0000000000000000001", "5\u200b", strings.Repeat("1", 200), "=1+1", "1/2", "5 usd usd",
	} {
		got := money.Analyse(text, money.Options{Source: "/amount"})
		if show(got) != "opaque" || got[0].Detail == "" || got[0].Source != "/amount" {
			t.Errorf("%q: %s", text, show(got))
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		o    money.Options
		want string
	}{
		{"5", money.Options{Currency: "usd"}, "5 USD"},
		{"5 USD", money.Options{Currency: "USD"}, "5 USD"},
		{"5 USD", money.Options{Currency: "EUR"}, "5 USD; opaque"},
		{"5", money.Options{Currency: "dollars"}, "opaque"},
		{"5", money.Options{Currency: "$"}, "opaque"},
		{"1250", money.Options{Currency: "USD", Minor: true}, "12.5 USD"},
		{"5", money.Options{Currency: "USD", Minor: true}, "0.05 USD"},
		{"1250", money.Options{Currency: "JPY", Minor: true}, "1250 JPY"},
		{"1250 KWD", money.Options{Minor: true}, "1.25 KWD"},
		{"0", money.Options{Currency: "USD", Minor: true}, "0 USD"},
		{"1250", money.Options{Currency: "UYW", Minor: true}, "0.125 UYW"},
		{"1250", money.Options{Minor: true}, "opaque"},
		{"12.5", money.Options{Currency: "USD", Minor: true}, "0.125 USD; opaque"},
		{"1250", money.Options{Currency: "ISK", Minor: true}, "1250 ISK; opaque"},
		{"-5", money.Options{Negative: true}, "-5"},
		{"-0", money.Options{Negative: true}, "0; opaque"},
		{"1.125", money.Options{Currency: "KWD"}, "1.125 KWD"},
		{"1.125", money.Options{Currency: "USD"}, "1.125 USD; 1125 USD; opaque"},
	} {
		if got := show(money.Analyse(c.text, c.o)); got != c.want {
			t.Errorf("%q with %+v: got %s, want %s", c.text, c.o, got, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`5`: "5", `12.50`: "12.5", `1e3`: "1000", `1E2`: "100", `1.5e1`: "15", `1e-2`: "0.01", `0`: "0", `0.0`: "0", `0e300`: "0", `1.125`: "1.125", `1.000`: "1", `9007199254740993`: "9007199254740993",
		`123456789012345678901234567890`: "123456789012345678901234567890", `1e29`: "1" + strings.Repeat("0", 29), `1e30`: "opaque", `1e300`: "opaque", `1e-300`: "opaque", `-5`: "-5; opaque", `1e-19`: "opaque",
		`"5 USD"`: "5 USD", `[]`: "", `[5,"6 EUR"]`: "5; 6 EUR", `[[5]]`: "opaque", `null`: "opaque", `true`: "opaque", `{}`: "opaque",
		`{"amount":5,"currency":"USD"}`: "5 USD", `{"value":"12.50","currency_code":"eur"}`: "12.5 EUR", `{"amount":5}`: "5", `{"currencyCode":"USD","amount":5}`: "5 USD",
		`{"amount":5,"currency":"XYZ"}`: "opaque", `{"amount":5,"currency":null}`: "opaque", `{"amount":5,"value":500}`: "opaque", `{"amount":5,"currency":"USD","currency_code":"USD"}`: "opaque",
		`{"amount":5,"currency":"USD","fee":1}`: "opaque", `{"currency":"USD"}`: "opaque", `{"amount":[5],"currency":"USD"}`: "opaque", `{"amount":{"amount":5}}`: "opaque",
		`{"amount":"5 EUR","currency":"USD"}`: "5 EUR; opaque", `{"amount":null}`: "opaque",
		`[` + strings.Repeat("1,", money.MaxValues) + `1e9]`: strings.Repeat("1; ", money.MaxValues) + "opaque",
	} {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			t.Fatal(text, err)
		}
		got := money.AnalyseValue(v, money.Options{Source: "/amount"})
		if diff := cmp.Diff(want, show(got)); diff != "" {
			t.Errorf("%.60s\n%s", text, diff)
		}
		if text == `[5,"6 EUR"]` && got[1].Source != "/amount/1" {
			t.Errorf("the source of the second is %q", got[1].Source)
		}
	}
	if got := show(money.AnalyseValue(tv.Value{}, money.Options{})); got != "opaque" {
		t.Errorf("an absent value: %s", got)
	}
	if got := show(money.AnalyseValue(canon.Int(5), money.Options{Currency: "EUR"})); got != "5 EUR" {
		t.Errorf("a number made in code: %s", got)
	}
	v, _ := canon.Parse([]byte(`{"amount":5,"currency":"USD"}`), canon.Limits{})
	if got := show(money.AnalyseValue(v, money.Options{Currency: "EUR"})); got != "opaque" {
		t.Errorf("a currency against the declared one: %s", got)
	}
}

func ExampleAnalyse() {
	for _, e := range money.Analyse("1,234.50 EUR", money.Options{}) {
		fmt.Println(e.Kind, e.Amount, e.Currency)
	}
	// Output: spend 1234.5 EUR
}
