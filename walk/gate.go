package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
)

// admits judges a read_skill: what the skill is from a place, and the posture
// that refuses it, if one does.
//
//	          self   open   hop                         unreachable
//	assist    stay   read   moves                       refused
//	guard     stay   read   moves if the menu has it    refused
//	rails     stay   read   refused                     refused
//
// Arguments that name no skill are unreachable. The first pick of a batch
// closes the menu, so that under guard the next one finds none.
func admits(g *spoor.Graph, p spoor.Posture, place string, menu []string, id string) (spoor.Target, spoor.Posture) {
	target := g.Classify(place, id)
	switch {
	case target != spoor.Hop:
	case p == spoor.PostureRails:
		return target, spoor.PostureRails
	case p == spoor.PostureGuard && !slices.Contains(menu, id):
		return target, spoor.PostureGuard
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
