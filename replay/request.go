package replay

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A Divergence is a request that is not as it was recorded.
type Divergence struct {
	Event     int    `json:"event"`    // called, or asked, in the replayed run
	WasEvent  int    `json:"wasEvent"` // in the recording
	Turn      int    `json:"turn"`
	Iteration int    `json:"iteration"`
	Purpose   string `json:"purpose"` // of the request: answer, classify, decide; score: of the question to a scorer
	Class     Class  `json:"class"`

	// Pieces are the parts that are not the same, in the order of the request.
	Pieces []Piece `json:"pieces,omitempty"`
	More   int     `json:"more,omitempty"` // pieces that are not listed

	Gained    []string `json:"gained,omitempty"`    // tools that are offered, and were not
	Lost      []string `json:"lost,omitempty"`      // tools that were offered, and are not
	Specified []string `json:"specified,omitempty"` // tools whose specification is another one
	Reordered bool     `json:"reordered,omitempty"` // the same tools are offered in another order
}

// Class says what made a request another one.
type Class string

const (
	ByMap   Class = "map"   // the map, or what the agent brings along
	ByPiece Class = "piece" // content that was edited stands in it
	ByTool  Class = "tool"  // only the specification of a tool is another one
	ByOffer Class = "offer" // only the tools that are offered are others
)

// A Piece is a part of a request that is not as it was recorded.
type Piece struct {
	Change Changed `json:"change"`

	Digest model.Digest `json:"digest"`       // of the content that is there now, or of what was removed
	Was    model.Digest `json:"was,omitzero"` // of an edited one: what was there

	Role  model.Role `json:"role,omitempty"`
	Kind  model.Kind `json:"kind"`
	Skill string     `json:"skill,omitempty"` // whose body it is
	Call  string     `json:"call,omitempty"`  // whose arguments or result it is
	Tool  string     `json:"tool,omitempty"`

	Part    int    `json:"part,omitempty"`    // of the request, from 1; 0: it is not in it
	WasPart int    `json:"wasPart,omitempty"` // of the recorded request
	Bytes   int    `json:"bytes"`
	Line    string `json:"line"` // the first line of it

	// Differs is the first line in which an edited piece is not as it was.
	Differs *Lines `json:"differs,omitempty"`
}

// Lines are one line of a text as it was and as it is.
type Lines struct {
	Number int    `json:"number"` // from 1
	Was    string `json:"was"`
	Now    string `json:"now"`
}

// Changed says what became of a piece.
type Changed string

const (
	Added   Changed = "added"
	Removed Changed = "removed"
	Edited  Changed = "edited"
	Moved   Changed = "moved"
)

// maxPieces bounds the pieces that a divergence lists.
const maxPieces = 50

// key is what makes two parts the same to a model. The skill of a body is known
// to spoor alone.
type key struct {
	role                model.Role
	kind                model.Kind
	piece               model.Digest
	call, tool, status  string
	media, providerData string
}

func keyOf(p *model.Part) key {
	return key{p.Role, p.Kind, p.Piece, p.Call, p.Tool, p.Status, p.Media, p.Provider}
}

// slot is where a part belongs, whatever it says.
type slot struct {
	role  model.Role
	kind  model.Kind
	skill string
	call  string
}

func slotOf(p *model.Part) slot { return slot{p.Role, p.Kind, p.Skill, p.Call} }

// parts compares two requests: what was asked, and what is asked now.
func (d *Divergence) parts(was, now []model.Part) {
	from := 0
	for from < min(len(was), len(now)) && keyOf(&was[from]) == keyOf(&now[from]) {
		from++
	}
	end := 0
	for end < min(len(was), len(now))-from && keyOf(&was[len(was)-1-end]) == keyOf(&now[len(now)-1-end]) {
		end++
	}
	a, b := was[from:len(was)-end], now[from:len(now)-end]
	keepA, keepB := common(a, b)

	gone := make([]bool, len(a)) // and no part of b was it
	byKey, bySlot := map[key][]int{}, map[slot][]int{}
	for i := range a {
		if gone[i] = !keepA[i]; gone[i] {
			byKey[keyOf(&a[i])] = append(byKey[keyOf(&a[i])], i)
			bySlot[slotOf(&a[i])] = append(bySlot[slotOf(&a[i])], i)
		}
	}
	pair := make([]int, len(b)) // the part of a that a part of b was, from 1
	change := make([]Changed, len(b))
	for j := range b {
		k := keyOf(&b[j])
		if list := byKey[k]; !keepB[j] && len(list) > 0 {
			pair[j], change[j], gone[list[0]], byKey[k] = list[0]+1, Moved, false, list[1:]
		}
	}
	for j := range b {
		if keepB[j] || change[j] == Moved {
			continue
		}
		change[j] = Added
		k := slotOf(&b[j])
		list := bySlot[k]
		for len(list) > 0 && !gone[list[0]] {
			list = list[1:]
		}
		if len(list) > 0 {
			pair[j], change[j], gone[list[0]], list = list[0]+1, Edited, false, list[1:]
		}
		bySlot[k] = list
	}
	for i := range a {
		if gone[i] {
			d.piece(pieceOf(Removed, &a[i], 0, from+i+1))
		}
	}
	for j := range b {
		if change[j] == "" {
			continue
		}
		p := pieceOf(change[j], &b[j], from+j+1, 0)
		if i := pair[j] - 1; i >= 0 {
			p.WasPart = from + i + 1
			if change[j] == Edited {
				p.Was = a[i].Piece
				if p.Line != "" {
					p.Differs = linesOf(a[i].Data, b[j].Data)
				}
			}
		}
		d.piece(p)
	}
}

func (d *Divergence) piece(p Piece) {
	if len(d.Pieces) == maxPieces {
		d.More++
		return
	}
	d.Pieces = append(d.Pieces, p)
}

func pieceOf(change Changed, p *model.Part, part, was int) Piece {
	q := Piece{
		Change: change, Digest: p.Piece, Role: p.Role, Kind: p.Kind, Skill: p.Skill, Call: p.Call, Tool: p.Tool,
		Part: part, WasPart: was, Bytes: len(p.Data),
	}
	if p.Kind != model.Image && p.Kind != model.Document {
		q.Line = headline(p.Data)
	}
	return q
}

// linesOf finds the first line in which two texts differ.
func linesOf(was, now string) *Lines {
	n := 1
	for {
		a, restA, moreA := strings.Cut(was, "\n")
		b, restB, moreB := strings.Cut(now, "\n")
		if a != b || moreA != moreB || !moreA {
			return &Lines{n, clip(a, 200), clip(b, 200)}
		}
		was, now = restA, restB
		n++
	}
}

// common finds a longest common subsequence of two lists of parts. Lists that
// are too long for that are matched from their beginning.
func common(a, b []model.Part) (keepA, keepB []bool) {
	keepA, keepB = make([]bool, len(a)), make([]bool, len(b))
	if len(a) == 0 || len(b) == 0 {
		return keepA, keepB
	}
	const most = 1 << 20
	if len(a)*len(b) > most {
		for i, j := 0, 0; i < len(a) && j < len(b); j++ {
			if keyOf(&a[i]) == keyOf(&b[j]) {
				keepA[i], keepB[j] = true, true
				i++
			}
		}
		return keepA, keepB
	}
	width := len(b) + 1
	best := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if keyOf(&a[i]) == keyOf(&b[j]) {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case keyOf(&a[i]) == keyOf(&b[j]):
			keepA[i], keepB[j] = true, true
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return keepA, keepB
}

// sameParts reports whether two requests are the same to a model.
func sameParts(a, b []model.Part) bool {
	return slices.EqualFunc(a, b, func(a, b model.Part) bool { return keyOf(&a) == keyOf(&b) })
}

// tools compares what was offered with what is.
func (d *Divergence) tools(was, now []string, wasSpec, nowSpec func(string) model.Digest) (same bool) {
	for _, name := range now {
		switch {
		case !slices.Contains(was, name):
			d.Gained = append(d.Gained, name)
		case wasSpec(name) != nowSpec(name):
			d.Specified = append(d.Specified, name)
		}
	}
	for _, name := range was {
		if !slices.Contains(now, name) {
			d.Lost = append(d.Lost, name)
		}
	}
	if d.Gained == nil && d.Lost == nil && !slices.Equal(was, now) {
		d.Reordered = true
	}
	return d.Gained == nil && d.Lost == nil && d.Specified == nil && !d.Reordered
}

// classify says what made the request another one.
func (d *Divergence) classify(edited func(p *Piece) bool) {
	switch {
	case slices.ContainsFunc(d.Pieces, func(p Piece) bool { return edited(&p) }):
		d.Class = ByPiece
	case d.Pieces != nil:
		d.Class = ByMap
	case d.Specified != nil && d.Gained == nil && d.Lost == nil && !d.Reordered:
		d.Class = ByTool
	default:
		d.Class = ByOffer
	}
}

// specs finds the digest of a tool as a turn specifies it.
func (t *table) specs(b *event.Started) func(name string) model.Digest {
	return func(name string) model.Digest {
		if name == walk.ReadSkill {
			return t.read
		}
		for _, tool := range b.Tools {
			if tool.Name == name {
				return tool.Piece
			}
		}
		return model.Digest{}
	}
}

// query compares what a scorer was asked with what it is asked.
func (d *Divergence) query(was, now *score.Query) (same bool) {
	part := func(c *score.Candidate) model.Part {
		data, _ := json.Marshal(c)
		p := model.NewPart("", "candidate", string(data))
		p.Skill = c.ID
		return p
	}
	list := func(q *score.Query) (parts []model.Part) {
		parts = append(parts, model.NewPart(model.User, model.Text, q.Message))
		for i := range q.Candidates {
			parts = append(parts, part(&q.Candidates[i]))
		}
		return parts
	}
	a, b := list(was), list(now)
	if sameParts(a, b) {
		return true
	}
	d.parts(a, b)
	return false
}
