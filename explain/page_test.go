package explain_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor/explain"
)

// What the pages for people say, of an answer and of words of it.
func TestPages(t *testing.T) {
	for _, test := range []struct {
		name, talk, span string
		want, not        []string
	}{
		{
			name: "what a later result replaced is said where the sentence begins, and counted",
			talk: "-- read {} --\n{\"errors\":41200}\n-- read {} --\n{\"errors\":55300}\n-- answer --\nIt has 41,200 errors.\n",
			want: []string{"1 grounded (1 stale)", "GROUNDED, BUT STALE: It has"},
		},
		{
			name: "what is fresh is not",
			talk: "-- read {} --\n{\"errors\":41200}\n-- read {} --\n{\"errors\":41200}\n-- answer --\nIt has 41,200 errors.\n",
			want: []string{"1 grounded.", "GROUNDED: It has"},
		},
		{
			name: "an amount that stands nowhere comes first",
			talk: "-- policy {} --\n{\"body\":\"Some refunds need a manager, and those are paid in EUR.\"}\n-- answer --\nSome refunds need a manager, over 800 EUR.\n",
			span: "Some refunds need a manager, over 800 EUR",
			want: []string{"were copied.\n\n\"over 800 EUR\", bytes 29–41\n  in nothing that"},
		},
		{
			name: "and its currency is told of no place",
			talk: "-- policy {} --\n{\"body\":\"All is paid in EUR.\",\"currency\":\"EUR\"}\n-- answer --\nHe was fined 2,500 EUR.\n",
			span: "2,500 EUR",
			not:  []string{"from $"},
		},
		{
			name: "a word that is a value elsewhere is told with the words beside it",
			talk: "-- body --\nA second charge for the same order is paid back at any time.\n-- check {} --\n{\"state\":\"paid\"}\n-- answer --\nThe second charge is paid back in any case.\n",
			span: "The second charge is paid back in any case",
			want: []string{"\"is paid back\", bytes 18–30\n  from line 1, bytes 35–47 of the body"},
			not:  []string{"$.state"},
		},
		{
			name: "a row without a name",
			talk: "-- list {} --\n[{\"name\":\"\",\"errors\":41200},{\"name\":\"a-1\",\"errors\":12}]\n-- answer --\na-1 has 41,200 errors.\n",
			want: []string{"; not of\n        \"a-1\", of which it is \"12\")"},
			not:  []string{"beside ,", "\"\""},
		},
		{
			name: "escapes of JSON",
			talk: "-- read {} --\n{\"note\":\"The north \\u2014 and Zo\\u00eb\"}\n-- answer --\nThe north - and Zoë.\n",
			want: []string{"derived: \"The north — and Zoë\""},
			not:  []string{`u2014`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := talked(t, txtar.Parse([]byte(test.talk)))
			page := explain.Answer(r).String()
			if test.span != "" {
				page = explain.Span(r, test.span).String()
			}
			for _, want := range test.want {
				if !strings.Contains(page, want) {
					t.Errorf("%q is not in\n%s", want, page)
				}
			}
			for _, not := range test.not {
				if strings.Contains(page, not) {
					t.Errorf("%q is in\n%s", not, page)
				}
			}
		})
	}
}
