import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'
import { WebSocketServer } from 'ws'

/** This is the plainest program that publishes changes: it inserts a row for each request and sends the id to every socket. */
const sql = postgres(process.argv[2] ?? '', { max: 10, onnotice: () => undefined })
await sql`create table if not exists bench_changes (id text not null, body text not null)`
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const id = request.url?.slice(1) ?? ''
  await sql`insert into bench_changes (id, body) values (${id}, ${Buffer.concat(chunks).toString()})`
  response.end('{}')
  for (const socket of sockets.clients) socket.send(id)
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
