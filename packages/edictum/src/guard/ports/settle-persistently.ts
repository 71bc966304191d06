// A settlement that does not arrive makes the count too low once its lease is over. So a storage that was away is asked again
// when it may be back; the guard stops waiting long before, and the tool's answer is not held up by it.

const waitsMs = [100, 300, 1_000, 3_000, 6_000, 10_000, 10_000]

/** How long a storage has to know a settled slot again: longer than anybody goes on sending. */
export const rememberSettledSeconds = 600

/** `send` must be safe to repeat: it may have arrived, and only its answer was lost. */
export async function settlePersistently<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (const waitMs of waitsMs) {
    try {
      return await send()
    } catch (error) {
      if (isFinal(error)) throw error
      await pause(waitMs)
    }
  }
  return send()
}

/** What a storage says about the data will not be different next time. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && /stored value of|call migrate\(\)/.test(error.message)
}

async function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // A program that has nothing else to do may end; the lease then ends the slot.
    setTimeout(resolve, milliseconds).unref?.()
  })
}
