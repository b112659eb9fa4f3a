// Makes requests with the MCP Inspector as `mcp-inspector --cli` does, each to a server of its own, but in one process:
// to load the Inspector takes much longer than a request. Each line on stdin has the arguments of one, as JSON.
// After its result it prints true. What fails ends the process, with the exit status of the Inspector.
import { createInterface } from "node:readline";

const { runCli, handleError } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
	try {
		await runCli([process.argv[0], process.argv[1], ...JSON.parse(line)]);
	} catch (error) {
		handleError(error);
	}
	process.stdout.write("true\n");
}
