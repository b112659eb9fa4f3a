import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A proxy in front of a server that cuts each connection after a few bytes of the answer. */
export async function cutting(target: string, random: () => number): Promise<{ url: string; cuts: () => number; close(): void }> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let cuts = 0;
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    let left = 200 + Math.floor(random() * 2000);
    const end = () => void (near.destroy(), far.destroy(), open.delete(near));
    open.add(near);
    near.on("error", end).on("close", end).pipe(far);
    far.on("error", end).on("close", end).on("data", (data) => {
      near.write(data.subarray(0, left));
      if ((left -= data.length) <= 0) {
        cuts++;
        near.end(() => near.destroy());
        far.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, cuts: () => cuts, close: () => (proxy.close(), open.forEach((socket) => socket.destroy())) };
}
