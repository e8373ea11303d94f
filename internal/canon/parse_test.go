// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in     string
		reason canon.Reason
		offset int
		path   string
	}{
		"nothing":                    {"", canon.ReasonEmpty, 0, ""},
		"white space only":           {" \t\r\n", canon.ReasonEmpty, 4, ""},
		"byte order mark":            {"\ufeff{}", canon.ReasonByteOrderMark, 0, ""},
		"utf-16":                     {"\xff\xfe{\x00}\x00", canon.ReasonUnexpected, 0, ""},
		"nul before the value":       {"\x00{}", canon.ReasonUnexpected, 0, ""},
		"nul after the value":        {"{}\x00", canon.ReasonTrailing, 2, ""},
		"second value":               {`{"a":1}{"a":2}`, canon.ReasonTrailing, 7, ""},
		"second value on a line":     {"{}\n{}", canon.ReasonTrailing, 3, ""},
		"closing brace too many":     {`{}}`, canon.ReasonTrailing, 2, ""},
		"no-break space":             {"\u00a0{}", canon.ReasonUnexpected, 0, ""},
		"form feed":                  {"{\f}", canon.ReasonUnexpected, 1, ""},
		"single quotes":              {`{'a':1}`, canon.ReasonUnexpected, 1, ""},
		"single quoted value":        {`{"a":'x'}`, canon.ReasonUnexpected, 5, "/a"},
		"bare key":                   {`{a:1}`, canon.ReasonUnexpected, 1, ""},
		"line comment":               {"{} // x", canon.ReasonTrailing, 3, ""},
		"block comment":              {`{"a":/* x */1}`, canon.ReasonUnexpected, 5, "/a"},
		"trailing comma in object":   {`{"a":1,}`, canon.ReasonUnexpected, 7, ""},
		"trailing comma in array":    {`[1,]`, canon.ReasonUnexpected, 3, "/1"},
		"comma only":                 {`[,]`, canon.ReasonUnexpected, 1, "/0"},
		"no comma":                   {`[1 2]`, canon.ReasonUnexpected, 3, ""},
		"no colon":                   {`{"a" 1}`, canon.ReasonUnexpected, 5, "/a"},
		"colon for comma":            {`{"a":1:"b":2}`, canon.ReasonUnexpected, 6, ""},
		"wrong bracket":              {`[1}`, canon.ReasonUnexpected, 2, ""},
		"upper-case literal":         {`[True]`, canon.ReasonUnexpected, 1, "/0"},
		"misspelt literal":           {`[nulL]`, canon.ReasonUnexpected, 4, "/0"},
		"undefined":                  {`{"a":undefined}`, canon.ReasonUnexpected, 5, "/a"},
		"literal too long":           {`truest`, canon.ReasonTrailing, 4, ""},
		"literal cut":                {`[tru`, canon.ReasonTruncated, 4, "/0"},
		"object cut":                 {`{"a":1`, canon.ReasonTruncated, 6, ""},
		"object cut after key":       {`{"a"`, canon.ReasonTruncated, 4, "/a"},
		"object cut after colon":     {`{"a":`, canon.ReasonTruncated, 5, "/a"},
		"object cut at once":         {`{`, canon.ReasonTruncated, 1, ""},
		"array cut":                  {`[1,`, canon.ReasonTruncated, 3, "/1"},
		"string cut":                 {`"abc`, canon.ReasonTruncated, 4, ""},
		"string cut after escape":    {`"a\n`, canon.ReasonTruncated, 4, ""},
		"string cut in escape":       {`"a\`, canon.ReasonTruncated, 2, ""},
		"string cut in hex":          {`"\u00`, canon.ReasonTruncated, 1, ""},
		"hex cut by quote":           {`"\u00"`, canon.ReasonEscape, 1, ""},
		"key cut":                    {`{"ab`, canon.ReasonTruncated, 4, ""},
		"raw line break":             {"\"a\nb\"", canon.ReasonControl, 2, ""},
		"raw nul":                    {"{\"a\":\"b\x00\"}", canon.ReasonControl, 7, "/a"},
		"raw tab after an escape":    {"\"\\n\t\"", canon.ReasonControl, 3, ""},
		"raw control in key":         {"{\"a\x1f\":1}", canon.ReasonControl, 3, ""},
		"escape of another language": {`"\x41"`, canon.ReasonEscape, 1, ""},
		"escaped single quote":       {`"\'"`, canon.ReasonEscape, 1, ""},
		"escaped line break":         {"\"\\\n\"", canon.ReasonEscape, 1, ""},
		"octal escape":               {`"\0"`, canon.ReasonEscape, 1, ""},
		"upper-case U":               {`"\U0041"`, canon.ReasonEscape, 1, ""},
		"braced escape":              {`"\u{41}"`, canon.ReasonEscape, 1, ""},
		"signed hex":                 {`"\u+041"`, canon.ReasonEscape, 1, ""},
		"high surrogate":             {`"\ud800"`, canon.ReasonLoneSurrogate, 1, ""},
		"low surrogate":              {`"\udc00"`, canon.ReasonLoneSurrogate, 1, ""},
		"surrogates swapped":         {`"\udc00\ud800"`, canon.ReasonLoneSurrogate, 1, ""},
		"two high surrogates":        {`"\ud800\ud800"`, canon.ReasonLoneSurrogate, 1, ""},
		"high surrogate, then text":  {`"\ud800abcdef"`, canon.ReasonLoneSurrogate, 1, ""},
		"high surrogate, then \\n":   {`"\ud800\n\n\n"`, canon.ReasonLoneSurrogate, 1, ""},
		"high surrogate, bad low":    {`"\ud800\udcxx"`, canon.ReasonEscape, 1, ""},
		"surrogate in key":           {`{"\udfff":1}`, canon.ReasonLoneSurrogate, 2, ""},
		"surrogate in UTF-8":         {"\"\xed\xa0\x80\"", canon.ReasonInvalidUTF8, 1, ""},
		"surrogate pair in UTF-8":    {"\"\xed\xa0\xbd\xed\xb8\x80\"", canon.ReasonInvalidUTF8, 1, ""},
		"overlong slash":             {"\"\xc0\xaf\"", canon.ReasonInvalidUTF8, 1, ""},
		"overlong nul":               {"\"\xc0\x80\"", canon.ReasonInvalidUTF8, 1, ""},
		"beyond Unicode":             {"\"\xf4\x90\x80\x80\"", canon.ReasonInvalidUTF8, 1, ""},
		"Latin-1":                    {"\"caf\xe9\"", canon.ReasonInvalidUTF8, 4, ""},
		"UTF-8 after an escape":      {"\"\\n\xff\"", canon.ReasonInvalidUTF8, 3, ""},
		"UTF-8 cut":                  {"\"\xe2\x82\"", canon.ReasonInvalidUTF8, 1, ""},
		"UTF-8 in key":               {"{\"\xff\":1}", canon.ReasonInvalidUTF8, 2, ""},
		"leading zero":               {`{"n":010}`, canon.ReasonNumber, 6, "/n"},
		"double zero":                {`00`, canon.ReasonNumber, 1, ""},
		"negative leading zero":      {`-01`, canon.ReasonNumber, 2, ""},
		"plus sign":                  {`+1`, canon.ReasonNumber, 0, ""},
		"bare point":                 {`.5`, canon.ReasonNumber, 0, ""},
		"point at the end":           {`[1.]`, canon.ReasonNumber, 3, "/0"},
		"point cut":                  {`1.`, canon.ReasonTruncated, 2, ""},
		"point before exponent":      {`1.e5`, canon.ReasonNumber, 2, ""},
		"exponent without digits":    {`[1e]`, canon.ReasonNumber, 3, "/0"},
		"exponent with sign only":    {`[1e+]`, canon.ReasonNumber, 4, "/0"},
		"exponent cut":               {`1e`, canon.ReasonTruncated, 2, ""},
		"exponent with point":        {`1e1.5`, canon.ReasonNumber, 3, ""},
		"minus only":                 {`-`, canon.ReasonTruncated, 1, ""},
		"minus and text":             {`[-x]`, canon.ReasonNumber, 2, "/0"},
		"minus twice":                {`--1`, canon.ReasonNumber, 1, ""},
		"minus inside":               {`1-1`, canon.ReasonNumber, 1, ""},
		"hexadecimal":                {`0x10`, canon.ReasonNumber, 1, ""},
		"big integer suffix":         {`10n`, canon.ReasonNumber, 2, ""},
		"digit groups":               {`1_000`, canon.ReasonNumber, 1, ""},
		"NaN":                        {`{"n":NaN}`, canon.ReasonNumber, 5, "/n"},
		"Infinity":                   {`Infinity`, canon.ReasonNumber, 0, ""},
		"-Infinity":                  {`-Infinity`, canon.ReasonNumber, 1, ""},
		"full-width digits":          {"１", canon.ReasonUnexpected, 0, ""},
		"negative zero":              {`[-0]`, canon.ReasonNegativeZero, 1, "/0"},
		"negative zero, fraction":    {`-0.00`, canon.ReasonNegativeZero, 0, ""},
		"negative zero, exponent":    {`-0e5`, canon.ReasonNegativeZero, 0, ""},
		"overflow":                   {`1e400`, canon.ReasonInexact, 0, ""},
		"just over the largest":      {`1.7976931348623159e308`, canon.ReasonInexact, 0, ""},
		"underflow":                  {`1e-400`, canon.ReasonInexact, 0, ""},
		"below the smallest":         {`4e-324`, canon.ReasonInexact, 0, ""},
		"digits a float drops":       {`99.99999999999999999999`, canon.ReasonInexact, 0, ""},
		"not the shortest":           {`333333333.33333329`, canon.ReasonInexact, 0, ""},
		"big integer as float":       {`9007199254740993.0`, canon.ReasonInexact, 0, ""},
		"big integer with exponent":  {`9007199254740993e0`, canon.ReasonInexact, 0, ""},
		"401 digits":                 {strings.Repeat("9", 401), canon.ReasonNumberLong, 0, ""},
		"401 zeros":                  {"0." + strings.Repeat("0", 400), canon.ReasonNumberLong, 0, ""},
		"exponent bomb":              {`1e999999999`, canon.ReasonNumberLong, 0, ""},
		"zero with exponent bomb":    {`0e-999999999999999999999999`, canon.ReasonNumberLong, 0, ""},
		"duplicate":                  {`{"a":1,"a":1}`, canon.ReasonDuplicateKey, 7, "/a"},
		"duplicate, escaped":         {`{"a":1,"\u0061":2}`, canon.ReasonDuplicateKey, 7, "/a"},
		"duplicate, both escaped":    {`{"\u0061":1,"\u0061":2}`, canon.ReasonDuplicateKey, 12, "/a"},
		"duplicate empty key":        {`{"":1,"":2}`, canon.ReasonDuplicateKey, 6, "/"},
		"duplicate deep inside":      {`{"x":[0,{"y":{"a":1,"b":2,"a":3}}]}`, canon.ReasonDuplicateKey, 26, "/x/1/y/a"},
		"duplicate, pair escaped":    {`{"😀":1,"\ud83d\ude00":2}`, canon.ReasonDuplicateKey, 10, "/😀"},
		"key with pointer signs":     {`{"a/b~c":[{"d":1,"d":2}]}`, canon.ReasonDuplicateKey, 17, "/a~1b~0c/0/d"},
		"case":                       {`{"name":1,"Name":2}`, canon.ReasonFoldedKey, 10, "/Name"},
		"case, escaped":              {`{"name":1,"\u004eame":2}`, canon.ReasonFoldedKey, 10, "/Name"},
		"long s":                     {`{"params":1,"param\u017f":2}`, canon.ReasonFoldedKey, 12, "/paramſ"},
		"long s first":               {`{"paramſ":1,"params":2}`, canon.ReasonFoldedKey, 13, "/params"},
		"kelvin":                     {`{"key":1,"\u212aey":2}`, canon.ReasonFoldedKey, 9, "/\u212aey"},
		"full width":                 {`{"to":1,"ｔｏ":2}`, canon.ReasonFoldedKey, 8, "/ｔｏ"},
		"zero-width":                 {`{"to":1,"t\u200bo":2}`, canon.ReasonFoldedKey, 8, "/t\u200bo"},
		"nul at the end":             {`{"to":1,"to\u0000":2}`, canon.ReasonFoldedKey, 8, "/to\x00"},
		"nul and more":               {`{"to":1,"to\u0000x":2}`, canon.ReasonFoldedKey, 8, "/to\x00x"},
		"composed":                   {`{"\u00e9":1,"e\u0301":2}`, canon.ReasonFoldedKey, 12, "/e\u0301"},
		"empty and invisible":        {`{"":1,"\u200d":2}`, canon.ReasonFoldedKey, 6, "/\u200d"},
		"folded deep inside":         {`[[{"k":{"A":1,"a":2}}]]`, canon.ReasonFoldedKey, 14, "/0/0/k/a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := canon.Parse([]byte(c.in), canon.Limits{})
			var got *canon.SyntaxError
			if !errors.As(err, &got) {
				t.Fatalf("Parse(%q) = %s, %v; want a *SyntaxError", c.in, v.RawText(), err)
			}
			want := canon.SyntaxError{Reason: c.reason, Offset: c.offset, Path: c.path, Line: got.Line, Column: got.Column}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("Parse(%q): %v\n(-want +got)\n%s", c.in, err, diff)
			}
			if v.Kind() != canon.KindInvalid {
				t.Errorf("a refused text gave the value %s", v.RawText())
			}
		})
	}
}

// What no reader takes two ways is accepted.
func TestParseAccepts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"white space":               {" \t\r\n{ \"a\" : [ 1 , 2 ] } \n", `{"a":[1,2]}`},
		"scalar":                    {`"x"`, `"x"`},
		"empty containers":          {`{"a":{ },"b":[ ]}`, `{"a":{},"b":[]}`},
		"same key in other objects": {`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`},
		"duplicate keys in a text":  {`{"a":"{\"a\":1,\"a\":2}"}`, `{"a":"{\"a\":1,\"a\":2}"}`},
		"escaped controls":          {`"\u0000\u001f\b\f\n\r\t\u007f"`, "\"\\u0000\\u001f\\b\\f\\n\\r\\t\x7f\""},
		"escaped surrogate pair":    {`"\uD83D\uDE00"`, `"😀"`},
		"last of the pairs":         {`"\udbff\udfff"`, "\"\U0010ffff\""},
		"replacement character":     {`"\ufffd�"`, `"��"`},
		"byte order mark inside":    {`"\ufeff"`, "\"\ufeff\""},
		"solidus":                   {`"\/"`, `"/"`},
		"escapes and wide text":     {`"\u00e9é\né"`, `"éé\né"`},
		"line separator":            {"\"\u2028\"", "\"\u2028\""},
		"look-alike keys":           {`{"a":1,"а":2}`, `{"a":1,"а":2}`},
		"prefixes":                  {`{"a":1,"aa":2,"aaa":3,"":0}`, `{"":0,"a":1,"aa":2,"aaa":3}`},
		"same sketch":               {`{"abc":1,"adbc":2,"abdc":3}`, `{"abc":1,"abdc":3,"adbc":2}`},
		"combining mark":            {`{"e":1,"é":2}`, `{"e":1,"é":2}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canon.Canonicalize([]byte(c.in), canon.Limits{})
			if err != nil {
				t.Fatalf("Canonicalize(%q): %v", c.in, err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("Canonicalize(%q) (-want +got)\n%s", c.in, diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	deepObject := strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)
	cases := map[string]struct {
		in     string
		limits canon.Limits
		want   canon.Reason
		offset int
		path   string
	}{
		"default depth":       {in: deep(64)},
		"over default depth":  {in: deep(65), want: canon.ReasonTooDeep, offset: 64, path: strings.Repeat("/0", 64)},
		"objects too":         {in: deepObject, want: canon.ReasonTooDeep, offset: 64 * 5, path: strings.Repeat("/a", 64)},
		"siblings do not add": {in: "[" + strings.Repeat("[],", 100) + "[]]"},
		"own depth":           {in: deep(3), limits: canon.Limits{MaxDepth: 3}},
		"over own depth":      {in: deep(4), limits: canon.Limits{MaxDepth: 3}, want: canon.ReasonTooDeep, offset: 3, path: "/0/0/0"},
		"scalars have none":   {in: "1", limits: canon.Limits{MaxDepth: 1}},
		"negative is default": {in: deep(64), limits: canon.Limits{MaxDepth: -1, MaxBytes: -1}},
		"hard depth":          {in: deep(canon.HardMaxDepth), limits: canon.Limits{MaxDepth: 1 << 30}},
		"over hard depth":     {in: deep(canon.HardMaxDepth + 1), limits: canon.Limits{MaxDepth: 1 << 30}, want: canon.ReasonTooDeep, offset: canon.HardMaxDepth, path: strings.Repeat("/0", 2048)},
		"size":                {in: `"1234"`, limits: canon.Limits{MaxBytes: 6}},
		"over size":           {in: `"12345"`, limits: canon.Limits{MaxBytes: 6}, want: canon.ReasonTooLarge},
		"default size":        {in: `"` + strings.Repeat("a", 1<<20-2) + `"`},
		"over default size":   {in: `"` + strings.Repeat("a", 1<<20-1) + `"`, want: canon.ReasonTooLarge},
		"padding counts":      {in: strings.Repeat(" ", 1<<20) + "1", want: canon.ReasonTooLarge},
		"folding allowed":     {in: `{"a":1,"A":2,"Ａ":3}`, limits: canon.Limits{AllowFoldedSiblings: true}},
		"never duplicates":    {in: `{"a":1,"A":2,"a":3}`, limits: canon.Limits{AllowFoldedSiblings: true}, want: canon.ReasonDuplicateKey, offset: 13, path: "/a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.Parse([]byte(c.in), c.limits)
			if c.want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			var got *canon.SyntaxError
			if !errors.As(err, &got) {
				t.Fatalf("accepted; want %q", c.want)
			}
			want := canon.SyntaxError{Reason: c.want, Offset: c.offset, Path: c.path, Line: 1, Column: 1 + c.offset}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	want := canon.Limits{MaxBytes: 1 << 20, MaxDepth: 64}
	if diff := cmp.Diff(want, canon.DefaultLimits()); diff != "" {
		t.Error(diff)
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in           string
		line, column int
	}{
		"first line":       {`{"a" 1}`, 1, 6},
		"third line":       {"{\n\"a\":1,\n  \"a\":2}", 3, 3},
		"characters":       {`["é€😀",x]`, 1, 8},
		"windows breaks":   {"{\r\n  x", 2, 3},
		"at the very end":  {"[\n", 2, 1},
		"one line, at end": {"[1", 1, 3},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.Parse([]byte(c.in), canon.Limits{})
			var got *canon.SyntaxError
			if !errors.As(err, &got) {
				t.Fatalf("accepted %q", c.in)
			}
			if got.Line != c.line || got.Column != c.column {
				t.Errorf("%q: line %d, column %d; want %d, %d", c.in, got.Line, got.Column, c.line, c.column)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 300)
	cases := map[string]struct{ in, want string }{
		"plain":       {`{"a":{"b":01}}`, "parse JSON: line 1, column 12 (/a/b): invalid number: this is not a JSON number: write digits, without a plus sign, leading zeros or a bare point"},
		"whole input": {`[1`, "parse JSON: line 1, column 3: unexpected end: the JSON stops before it is complete: send all of it"},
		// A key cannot send escape sequences or reorder the text around it.
		"hostile key": {`{"\u001b[31m\u202eé":x}`, `parse JSON: line 1, column 22 (/\x1b[31m\u202e\u00e9): unexpected character: this character is not allowed here: send strict JSON (RFC 8259), with double quotes around keys and text`},
		"long key":    {`{"` + long + `":x}`, "parse JSON: line 1, column 305 (/" + long[:199] + "...): unexpected character: this character is not allowed here: send strict JSON (RFC 8259), with double quotes around keys and text"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.Parse([]byte(c.in), canon.Limits{})
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// No message repeats a value, whatever is wrong with it.
func TestErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"password":"hunter2` + "\n" + `"}`, `{"password":"hunter2\x"}`, `{"password":"hunter2"`, `["hunter2"`,
		`"hunter2" 1`, `{"n":19283746.19283746192837461928}`, `{"n":019283746}`, `{"n":19283746x}`,
		`{"a":"hunter2","a":"19283746"}`, `"\"hunter2\""`, `[["hunter2", 19283746]`,
	} {
		_, err := canon.ParseArguments([]byte(in), canon.Limits{})
		if err == nil {
			t.Errorf("accepted %q", in)
			continue
		}
		for _, secret := range []string{"hunter2", "19283746"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: the message holds the value: %v", in, err)
			}
		}
	}
}

// A path that would be longer than the limit ends at a container of the place.
func TestLongPath(t *testing.T) {
	t.Parallel()
	big, bigger := strings.Repeat("/", 2000), strings.Repeat("x", 5000)
	cases := map[string]struct{ in, want string }{
		"sum":    {`{"a":{"` + big + `":{"b":x}}}`, "/a/" + strings.Repeat("~1", 2000) + "/b"},
		"over":   {`{"a":{"` + big + `":{"` + big + `":{"b":x}}}}`, "/a/" + strings.Repeat("~1", 2000)},
		"single": {`{"a":{"` + bigger + `":{"b":x}}}`, "/a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.Parse([]byte(c.in), canon.Limits{})
			var got *canon.SyntaxError
			if !errors.As(err, &got) {
				t.Fatal("accepted")
			}
			if got.Path != c.want {
				t.Errorf("path of %d bytes, want %d", len(got.Path), len(c.want))
			}
		})
	}
}

func TestReasonsAreDistinctAndAdvised(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range canon.Reasons() {
		if seen[string(r)] || seen[r.Advice()] {
			t.Errorf("%q is there twice, or gives the advice of another reason", r)
		}
		seen[string(r)], seen[r.Advice()] = true, true
	}
	if canon.Reason("?").Advice() == "" {
		t.Error("an unknown reason gives no advice")
	}
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"object":             {` {"a":1} `, `{"a":1}`},
		"string":             {`"{\"a\":\"\\u00e9\\n\"}"`, `{"a":"é\n"}`},
		"string with spaces": {`" {} "`, `{}`},
		"missing":            {"", `{}`},
		"null":               {" null ", `{}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := canon.ParseArguments([]byte(c.in), canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(canon.Append(nil, v)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			start, end := v.Span()
			if got := v.Document()[start:end]; got != v.RawText() {
				t.Errorf("the span holds %q, the raw text is %q", got, v.RawText())
			}
		})
	}
}

func TestParseArgumentsRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in     string
		limits canon.Limits
		want   canon.SyntaxError
	}{
		"array":                {`[{}]`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNotObject, Line: 1, Column: 1}},
		"number":               {` 1`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNotObject, Offset: 1, Line: 1, Column: 2}},
		"false":                {`false`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNotObject, Line: 1, Column: 1}},
		"white space":          {" ", canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonEmpty, Offset: 1, Line: 1, Column: 2}},
		"empty string":         {`""`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonEmpty, Line: 1, Column: 1}},
		"array in string":      {`"[]"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNotObject, Line: 1, Column: 1}},
		"null in string":       {`"null"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNotObject, Line: 1, Column: 1}},
		"string in string":     {`"\"{}\""`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonNestedString, Line: 1, Column: 1}},
		"text in string":       {`"hello"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonUnexpected, Line: 1, Column: 1}},
		"two in string":        {`"{}\n{}"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonTrailing, Offset: 3, Line: 2, Column: 1}},
		"duplicate in string":  {`"{\"a\":1,\"\\u0061\":2}"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonDuplicateKey, Offset: 7, Line: 1, Column: 8, Path: "/a"}},
		"surrogate in string":  {`"{\"a\":\"\\ud800\"}"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonLoneSurrogate, Offset: 6, Line: 1, Column: 7, Path: "/a"}},
		"control in string":    {`"{\"a\":\"\u0000\"}"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonControl, Offset: 6, Line: 1, Column: 7, Path: "/a"}},
		"mark in string":       {`"\ufeff{}"`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonByteOrderMark, Line: 1, Column: 1}},
		"depth in string":      {`"[[[]]]"`, canon.Limits{MaxDepth: 2}, canon.SyntaxError{Reason: canon.ReasonTooDeep, Offset: 2, Line: 1, Column: 3, Path: "/0/0"}},
		"broken around string": {`"{}`, canon.Limits{}, canon.SyntaxError{Reason: canon.ReasonTruncated, Offset: 3, Line: 1, Column: 4}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := canon.ParseArguments([]byte(c.in), c.limits)
			var got *canon.SyntaxError
			if !errors.As(err, &got) {
				t.Fatalf("accepted %q", c.in)
			}
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("%q (-want +got)\n%s", c.in, diff)
			}
		})
	}
}

func TestParseObject(t *testing.T) {
	t.Parallel()
	if v, err := canon.ParseObject([]byte(`{"a":1}`), canon.Limits{}); err != nil || v.Len() != 1 {
		t.Errorf("got %v, %v", v, err)
	}
	for in, want := range map[string]canon.Reason{
		`"{}"`: canon.ReasonNotObject, `null`: canon.ReasonNotObject, `[]`: canon.ReasonNotObject, ``: canon.ReasonEmpty,
	} {
		_, err := canon.ParseObject([]byte(in), canon.Limits{})
		var got *canon.SyntaxError
		if !errors.As(err, &got) || got.Reason != want {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// The value does not change when the caller reuses its buffer.
func TestParseCopies(t *testing.T) {
	t.Parallel()
	src := []byte(`{"a":"b\n"}`)
	v, err := canon.Parse(src, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range src {
		src[i] = 'x'
	}
	if got, want := string(canon.Append(nil, v)), `{"a":"b\n"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
