import { describe, expect, it } from 'vitest'
import { BodyRoom } from './body-room.js'

const large = 1_000_000

describe('BodyRoom', () => {
  it('lets large bodies in while there is room, and again when others are done', () => {
    const room = new BodyRoom(2.5 * large)
    const first = room.open()
    first.claim(large / 2)
    first.claim(large)
    const second = room.open()
    second.claim(large)
    const third = room.open()
    expect(() => third.claim(large)).toThrow(/too much to do/)
    first.release()
    third.claim(large)
    second.release()
    third.release()
    expect(room.takenBytes).toBe(0)
  })

  it('never turns a small body away', () => {
    const room = new BodyRoom(0)
    room.open().claim(1_000)
    expect(() => room.open().claim(large)).toThrow(/too much to do/)
  })
})
