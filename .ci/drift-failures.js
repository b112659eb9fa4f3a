// Prints each test of an area of .ci/drift that failed, was skipped or did not run, with the first thing that it says:
//
//	node drift-failures.js AREA LOG
//
// LOG is what `go test -json` printed. Nothing is printed if all tests passed.
const [area, log] = process.argv.slice(2)
const events = require('fs').readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => {
	try {
		return JSON.parse(line)
	} catch {
		return { Action: 'output', Output: line } // of the compiler
	}
})
const ended = events.filter((e) => e.Test && ['pass', 'fail', 'skip'].includes(e.Action))
const leaves = ended.filter((e) => !ended.some((other) => other.Test.startsWith(e.Test + '/')))
const printed = (test) => events.filter((e) => e.Test === test && e.Action === 'output').map((e) => e.Output.trim())
const reason = (test) => printed(test).find((line) => /^\w+_test\.go:\d+: ./.test(line)) ?? 'it gives no reason'

for (const e of leaves) {
	if (e.Action !== 'pass') console.log(`${area}: ${e.Test} ${e.Action === 'skip' ? 'was skipped' : 'failed'}: ${reason(e.Test)}`)
}
const first = events.map((e) => (e.Output ?? '').trim()).filter((line) => line && !/^(=== |FAIL)/.test(line)).slice(0, 2).join(' ')
if (leaves.length === 0) console.log(`${area}: no test ran: ${first}`)
else if (leaves.every((e) => e.Action !== 'fail') && events.some((e) => e.Action === 'fail')) console.log(`${area}: the tests broke off`)
