package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// Every model call is told, of each kind of tool.
func TestNotTool(t *testing.T) {
	all := each(t)
	all["busy"] = busy(t)
	var text strings.Builder
	for _, c := range []struct{ name, tool string }{
		{"busy", "check_refund"}, {"busy", "open_case"}, {"busy", "lookup_order"}, {"busy", "read_skill"}, {"busy", "lookup"},
		{"served", "pay_back"}, {"served", "look_up"}, {"limited", "look_up"}, {"waiting", "pay_back"}, {"menu", "choose"}, {"failed", "pay_back"}, {"tree", "pay_back"},
	} {
		fmt.Fprintf(&text, "== %s, %s\n%s\n", c.name, c.tool, explain.NotTool(all[c.name], c.tool))
	}
	golden(t, "not-tool.txt", text.String())
}

// Every model call is told, of each kind of piece.
func TestNotPiece(t *testing.T) {
	all := each(t)
	all["busy"] = busy(t)
	var text strings.Builder
	for _, c := range []struct{ name, piece string }{
		{"busy", runbook(staleLine)}, {"busy", "Please refund order 4711."}, {"busy", "Thank you."}, {"busy", `{"orderId":4711}`},
		{"served", "Say that the whole shop is sorry for it."}, {"served", "Greet the customer by name."}, {"served", "Pay back what was charged twice."},
		{"served", "Never promise a date that nobody has confirmed."}, {"served", "yes, by credit note"}, {"served", `{"name":"pay_back"}`}, {"served", `{"id":"billing"}`},
		{"moved", "A credit note is money that the shop owes."}, {"moved", `{"parcel":true}`}, {"moved", "nothing of the kind"},
	} {
		fmt.Fprintf(&text, "== %s, %s\n%s\n", c.name, strings.SplitN(c.piece, "\n", 2)[0], explain.NotPiece(all[c.name], model.Sum(c.piece).String()))
	}
	for _, digest := range []string{"", "123", "zzzzzzzz", "\x1b[31m", model.Sum("Hello?").String()[:8], strings.Repeat("0", 65)} {
		fmt.Fprintf(&text, "== %q\n%s\n", digest, explain.NotPiece(all["rails"], digest))
	}
	golden(t, "not-piece.txt", text.String())
}

var _ *recording.Recording
