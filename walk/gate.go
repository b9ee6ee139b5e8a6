package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// admits judges a read_skill: what the skill is from a place, and the posture
// that refuses it, if one does.
//
//	          self   open   hop                         unreachable
//	assist    stay   read   moves                       refused
//	guard     stay   read   moves if the menu has it    refused
//	rails     stay   read   refused                     refused
//
// A menu is closed by the first pick from it, so that under guard a batch has
// one pick. Arguments that name no skill are unreachable.
func admits(g *spoor.Graph, p event.Posture, place string, menu []string, id string, picked bool) (spoor.Target, event.Posture) {
	target := g.Classify(place, id)
	switch {
	case target != spoor.Hop:
	case p == event.Rails:
		return target, event.Rails
	case p == event.Guard && (picked || !slices.Contains(menu, id)):
		return target, event.Guard
	}
	return target, ""
}

// menu is what the model may choose from: the menu of the start, if it is
// open, or all entries where the model reads them and stands nowhere yet; nil
// if there is none.
func (s *State) menu(g *spoor.Graph, open bool, place string) []string {
	switch {
	case open:
		return s.Routed.Offered
	case place == "" && (s.Routed == nil || s.Routed.By == "") && g.Selection() == spoor.SelectModel:
		return g.Reachable("")
	}
	return nil
}
