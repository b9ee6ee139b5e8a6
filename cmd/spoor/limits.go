package main

import (
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/mapfile"
)

// limitsOf are the bounds of a turn that a map file sets, beside the number of
// model calls.
func limitsOf(a *mapfile.Agent) event.Limits {
	l := event.Limits{
		ToolCalls: a.MaxToolCalls, Tokens: a.MaxTokens, Cost: a.MaxCost, Time: a.MaxTime,
		PingPong: a.MaxPingPong, Refusals: a.MaxRefusals,
	}
	for _, p := range a.Prices {
		l.Prices = append(l.Prices, event.Price(p))
	}
	return l
}

// reached says which limit was reached, and what allows more.
func reached(l event.Limit) string {
	switch l {
	case event.LimitModelCalls:
		return "the turn has made all the model calls that it may; --max-iterations allows more"
	case event.LimitToolCalls:
		return "the turn has made all the tool calls that it may; agent.maxToolCalls allows more"
	case event.LimitTokens:
		return "the turn has used the tokens that it may; agent.maxTokens allows more"
	case event.LimitCost:
		return "the turn has cost what it may, or a model without a price answered; agent.maxCost and agent.prices allow more"
	case event.LimitTime:
		return "the turn has taken the time that it may; agent.maxTime allows more"
	case event.LimitPingPong:
		return "the walk went to and fro between two skills as often as it may; agent.maxPingPong allows more"
	case event.LimitRefusals:
		return "as many reads in a row were refused as may be; agent.maxRefusals allows more"
	}
	return "the turn has reached a limit: " + string(l)
}
