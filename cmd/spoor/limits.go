package main

import (
	"github.com/spoorhq/spoor"
)

// reached says which limit was reached, and what allows more.
func reached(l spoor.Limit) string {
	switch l {
	case spoor.LimitModelCalls:
		return "the turn has made all the model calls that it may; --max-iterations allows more"
	case spoor.LimitToolCalls:
		return "the turn has made all the tool calls that it may; agent.maxToolCalls allows more"
	case spoor.LimitTokens:
		return "the turn has used the tokens that it may; agent.maxTokens allows more"
	case spoor.LimitCost:
		return "the turn has cost what it may; agent.maxCost allows more"
	case spoor.LimitPrice:
		return "a model answered that has no price, so nobody can say what the turn costs; write one for its name under agent.prices, or for \"\" one for every other model"
	case spoor.LimitTime:
		return "the turn has taken the time that it may; agent.maxTime allows more"
	case spoor.LimitPingPong:
		return "the walk went to and fro between two skills as often as it may; agent.maxPingPong allows more"
	case spoor.LimitRefusals:
		return "as many reads in a row were refused as may be; agent.maxRefusals allows more"
	}
	return "the turn has reached a limit: " + string(l)
}
