import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { EventStream } from './event-stream.js'

it('cuts off a client that does not read, so that it comes back for the state', async () => {
  const server = createServer()
  const opened = new Promise<EventStream>((resolve) => {
    server.on('request', (_, response) => {
      response.writeHead(200)
      resolve(new EventStream(response))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  client.pause()
  const stream = await opened
  const closed = new Promise<void>((resolve) => stream.whenClosed(resolve))
  let sent = 0
  // The system holds some megabytes for a client that does not read; then it is our turn.
  while (stream.isOpen && sent < 100) {
    stream.send('filler', { text: 'x'.repeat(500_000) })
    sent++
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  expect(stream.isOpen).toBe(false)
  expect(sent).toBeLessThan(100)
  client.destroy()
  await new Promise((resolve) => server.close(resolve))
})
