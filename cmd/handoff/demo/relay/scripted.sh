prompt=$(cat)
say() { printf "{\"type\":\"$1\",\"session_id\":\"scripted-1\",$2}\n"; }
works() { say assistant '"message":{"id":"'$1'","model":"claude-sonnet-4-5","usage":{"input_tokens":'$1'},"content":[{"type":"tool_use","id":"t'$1'","name":"Bash","input":{"command":"npm test"}}]}'; }
ended() { say user '"message":{"content":[{"type":"tool_result","tool_use_id":"t'$1'","content":"ok"}]}'; }
over() { say result '"result":"ok","total_cost_usd":0.25'; exit; }
say system '"subtype":"init","model":"m","uuid":"u"'
trap over INT TERM
case $prompt in
*"write a handoff now"*) # the relay asks for one, before the context is full
	printf '%s\n' 'next_action: "In `total` (cart.js) round with `Math.round`, then run `npm test`."' \
		'state: {file: cart.js, location: line 4, goal: "`npm test` passes"}' 'decisions: []' \
		'dead_ends: ["`toFixed(0)`: it returns a string"]' 'context: []' 'references: []' |
		handoff new --task 1 --phase 1 --slug discount_codes --from - >&2
	;;
*"This is a report"*) # a new agent continues it
	handoff ack --first-action 'In `total` (cart.js) round with `Math.round`, then run `npm test`.'
	sed 's/(sum \* \(.*\)).toFixed(0)/Math.round(sum * \1)/' cart.js > cart.new && mv cart.new cart.js
	works 9000 && ended 9000 && handoff done
	;;
*) # the first agent works until its context is nearly full
	for tokens in 60000 75000 84000 89000; do works $tokens; ended $tokens; done
	works 90000; sleep 1; ended 90000; sleep 60
	;;
esac
over
