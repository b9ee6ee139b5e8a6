package event

import "github.com/spoorhq/spoor/model"

// A Piece is content that an event names, and the place in the event for its
// bytes: who writes an event stores them, and who reads one puts them back.
type Piece struct {
	Digest model.Digest
	Data   *string
}

// Pieces appends the content that the event names.
func (e *Event) Pieces(list []Piece) []Piece {
	if b, ok := e.Body.(interface{ pieces([]Piece) []Piece }); ok {
		return b.pieces(list)
	}
	return list
}

func appendPieces(list []Piece, parts []model.Part) []Piece {
	for i := range parts {
		list = append(list, Piece{parts[i].Piece, &parts[i].Data})
	}
	return list
}

func appendTexts(list []Piece, texts []Passage) []Piece {
	for i := range texts {
		list = append(list, Piece{texts[i].Piece, &texts[i].Data})
	}
	return list
}

func (b *Started) pieces(list []Piece) []Piece {
	list = append(list, Piece{b.Graph.Map, &b.Graph.Data})
	for i := range b.Graph.Bodies {
		list = append(list, Piece{b.Graph.Bodies[i].Piece, &b.Graph.Bodies[i].Data})
	}
	for i := range b.Tools {
		list = appendTool(list, &b.Tools[i])
	}
	if in := &b.Injections; !in.IsZero() {
		if in.Skills != (model.Digest{}) {
			list = append(list, Piece{in.Skills, &in.SkillsData})
		}
		list = appendTexts(appendTexts(appendTexts(list, in.Steering), in.Facts), in.Instructions)
	}
	list = appendPieces(appendPieces(list, b.System), b.History)
	return append(list, Piece{b.Message.Piece, &b.Message.Data})
}

func (b *Called) pieces(list []Piece) []Piece {
	for _, s := range b.Splices {
		list = appendPieces(list, s.Put)
	}
	if b.Choice != nil {
		list = appendTool(list, b.Choice)
	}
	return list
}

func appendTool(list []Piece, t *Tool) []Piece {
	list = append(list, Piece{t.Piece, &t.Data})
	if t.Output != (model.Digest{}) {
		list = append(list, Piece{t.Output, &t.OutputData})
	}
	return list
}

func (b *Needs) pieces(list []Piece) []Piece {
	return append(list, Piece{b.Question.Piece, &b.Question.Data})
}

func (b *Answered) pieces(list []Piece) []Piece {
	return append(list, Piece{b.Answer.Piece, &b.Answer.Data})
}

func (b *EffectJudged) pieces(list []Piece) []Piece      { return appendNote(list, &b.Note) }
func (b *RouteConflict) pieces(list []Piece) []Piece     { return appendNote(list, &b.Note) }
func (b *RerouteSuperseded) pieces(list []Piece) []Piece { return appendNote(list, &b.Note) }

func appendNote(list []Piece, note *model.Part) []Piece {
	if note.Kind == "" {
		return list
	}
	return append(list, Piece{note.Piece, &note.Data})
}

func (b *Replied) pieces(list []Piece) []Piece  { return appendPieces(list, b.Parts) }
func (b *Late) pieces(list []Piece) []Piece     { return appendPieces(list, b.Parts) }
func (b *Finished) pieces(list []Piece) []Piece { return appendPieces(list, b.Answer) }

func (b *Returned) pieces(list []Piece) []Piece {
	return appendPieces(append(list, Piece{b.Result.Piece, &b.Result.Data}), b.More)
}

func (b *Read) pieces(list []Piece) []Piece {
	return append(list, Piece{b.Result.Piece, &b.Result.Data})
}

func (b *Rejected) pieces(list []Piece) []Piece {
	return append(list, Piece{b.Result.Piece, &b.Result.Data})
}

func (b *Refused) pieces(list []Piece) []Piece {
	return append(list, Piece{b.Result.Piece, &b.Result.Data})
}
