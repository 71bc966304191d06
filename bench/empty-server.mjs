// @ts-check
// An HTTP server that does nothing: what a trip between two processes of this machine costs by itself. Prints its address.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('Content-Type', 'application/json')
    response.end('{}')
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}\n`)
})
