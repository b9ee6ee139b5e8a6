package event

import "github.com/spoorhq/spoor/model"

type yield = func(model.Digest, *string) bool

func each(parts []model.Part, y yield) bool {
	for i := range parts {
		if !y(parts[i].Piece, &parts[i].Data) {
			return false
		}
	}
	return true
}

func (b *Started) pieces(y yield) bool {
	if !y(b.Graph.Map, &b.Graph.Data) {
		return false
	}
	for i := range b.Graph.Bodies {
		if !y(b.Graph.Bodies[i].Piece, &b.Graph.Bodies[i].Data) {
			return false
		}
	}
	for i := range b.Tools {
		if !y(b.Tools[i].Piece, &b.Tools[i].Data) {
			return false
		}
	}
	return each(b.System, y) && each(b.History, y) && y(b.Message.Piece, &b.Message.Data)
}

func (b *Called) pieces(y yield) bool {
	for _, s := range b.Splices {
		if !each(s.Put, y) {
			return false
		}
	}
	return true
}

func (b *Replied) pieces(y yield) bool         { return each(b.Parts, y) }
func (b *Late) pieces(y yield) bool            { return each(b.Parts, y) }
func (b *Finished) pieces(y yield) bool        { return each(b.Answer, y) }
func (b *Returned) pieces(y yield) bool        { return y(b.Result.Piece, &b.Result.Data) }
func (b *Read) pieces(y yield) bool            { return y(b.Result.Piece, &b.Result.Data) }
func (b *Rejected) pieces(y yield) bool        { return y(b.Result.Piece, &b.Result.Data) }
func (b *Refused) pieces(y yield) bool         { return y(b.Result.Piece, &b.Result.Data) }
func (b *Failed) pieces(yield) bool            { return true }
func (b *Resumed) pieces(yield) bool           { return true }
func (b *Stopped) pieces(yield) bool           { return true }
func (b *Evaluated) pieces(yield) bool         { return true }
func (b *RouteConflict) pieces(yield) bool     { return true }
func (b *RerouteSuperseded) pieces(yield) bool { return true }
func (b *Sent) pieces(yield) bool              { return true }
func (b *Unknown) pieces(yield) bool           { return true }
