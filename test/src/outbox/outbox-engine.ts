import { vi } from 'vitest'
import { MemoryHttpTransport } from '../../../adapters/memory/index.js'
import type {
  Delivery,
  DeliveryWithAttempts,
  Destination,
  Engine,
  EngineOptions,
  RecordedEvent,
} from '../../../src/index.js'
import type { HttpOutcome, HttpPost, Storage } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

/** An engine whose relay sends to a transport in memory. */
export interface OutboxEngine extends MemoryEngine {
  /** Creates destinations for all types. */
  destinations(count: number): Promise<readonly Destination[]>
  /** Records an event of the root company. */
  record(agentId?: number): Promise<RecordedEvent>
  /** Every delivery with its attempts, ordered by id. */
  log(): Promise<readonly DeliveryWithAttempts[]>
  /** The log, once every delivery has a terminal status. */
  whenSettled(timeoutMs?: number): Promise<readonly DeliveryWithAttempts[]>
}

type Page = Awaited<ReturnType<Engine['administration']['deliveries']['list']>>

const OPEN: readonly string[] = ['pending', 'delivering']

export async function outboxEngine(storage: Storage, options: Partial<EngineOptions> = {}): Promise<OutboxEngine> {
  const opened = await memoryEngine({ ...options, storage })
  const { engine } = opened
  const log = async () => await readLog(engine)
  return {
    ...opened,
    httpTransport: (options.httpTransport as MemoryHttpTransport | undefined) ?? opened.httpTransport,
    destinations: async (count) => {
      const made: Destination[] = []
      for (let number = 0; number < count; number += 1) {
        const { secret: _secret, ...destination } = await engine.administration.destinations.create({
          url: `https://hook-${number}.example.com/`,
          eventTypes: null,
        })
        made.push(destination)
      }
      return made
    },
    record: async (agentId = 1) =>
      await engine.events.record({ type: 'agent.deleted', data: { agentId }, companyId: engine.owner.companyId }),
    log,
    whenSettled: async (timeoutMs = 30_000) => {
      await vi.waitFor(
        async () => {
          // Each delivery is read once: it may change from one open status to the other between two reads.
          const open = (await listed(engine)).find(({ status }) => OPEN.includes(status))
          if (open !== undefined) throw new Error(`a delivery is under way: ${JSON.stringify(open)}`)
        },
        { timeout: timeoutMs, interval: 20 },
      )
      return await log()
    },
  }
}

async function readLog(engine: Engine): Promise<readonly DeliveryWithAttempts[]> {
  const ids = (await listed(engine)).map(({ id }) => id)
  return await Promise.all(ids.reverse().map(async (id) => await engine.administration.deliveries.get(id)))
}

/** Every delivery, the newest first. */
async function listed(engine: Engine): Promise<readonly Delivery[]> {
  const items: Delivery[] = []
  let cursor: string | null = null
  do {
    const page: Page = await engine.administration.deliveries.list({
      limit: 500,
      ...(cursor !== null && { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}

/** The outcome of a response with this status, as the relay sees it. */
export function answer(httpStatus: number, body = ''): HttpOutcome {
  return { kind: 'response', httpStatus, body: new TextEncoder().encode(body) }
}

/** A transport whose requests hang until the test releases them. */
export class HangingTransport extends MemoryHttpTransport {
  /** The number of aborted requests. */
  aborted = 0
  readonly #waiting: ((outcome: HttpOutcome) => void)[] = []
  override respond: (post: HttpPost) => Promise<HttpOutcome> = async () =>
    await new Promise((resolve) => {
      this.#waiting.push(resolve)
    })

  get hanging(): number {
    return this.#waiting.length
  }

  override async post(post: HttpPost, options: { readonly signal?: AbortSignal } = {}): Promise<HttpOutcome> {
    options.signal?.addEventListener('abort', () => {
      this.aborted += 1
    })
    return await super.post(post, options)
  }

  letGo(outcome: HttpOutcome = answer(200)): void {
    for (const resolve of this.#waiting.splice(0)) resolve(outcome)
  }
}
