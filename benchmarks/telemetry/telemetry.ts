/**
 * The cost of telemetry for ingestion (P3) and for deliveries (P8): an engine without telemetry, with metrics, and with
 * metrics and spans, in turn. `npx tsx benchmarks/telemetry/telemetry.ts [--quick]` prints a table.
 *
 * The time of the processor is steadier than that of the clock, and counts all threads of this process. The receivers
 * run in another process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import { OpenTelemetry } from '../../dist/adapters/opentelemetry/index.js'
import type { Engine } from '../../dist/src/index.js'
import type { EmbeddingModel, Telemetry } from '../../dist/src/ports/index.js'
import type { Receivers } from '../events/event-receivers.js'
import { messageOf } from '../harness/child-message.js'
import { type Contestant, inTurn, type Spread } from '../harness/measure.js'
import { longText } from '../harness/sample-texts.js'
import { withFolder } from '../harness/with-folder.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 9
const LARGE = Buffer.concat([...longText(isQuick ? 8_000 : 1_000_000)])
const SMALL = Buffer.concat([...longText(2_000)])
const SMALL_DOCUMENTS = isQuick ? 10 : 250
const EVENTS = isQuick ? 10 : 300
const DESTINATIONS = 9

/** An engine without telemetry, and two with it. */
const WAYS = ['nothing', 'metrics', 'metrics and spans'] as const

type Way = (typeof WAYS)[number]

/** @returns a telemetry that exports nothing, and the function that ends it */
function openTelemetry(way: Way): { readonly telemetry: Telemetry | undefined; readonly end: () => void } {
  if (way === 'nothing') return { telemetry: undefined, end: () => undefined }
  // Without a reader, the SDK would record nothing.
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  if (way === 'metrics')
    return { telemetry: new OpenTelemetry({ meterProvider, tracerProvider: null }), end: () => undefined }
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new InMemorySpanExporter())],
  })
  return {
    telemetry: new OpenTelemetry({ meterProvider, tracerProvider }),
    end: () => {
      context.disable()
      manager.disable()
    },
  }
}

const receivers: ChildProcess = fork(
  join(import.meta.dirname, '../events/event-receivers.ts'),
  [String(DESTINATIONS)],
  {
    execArgv: ['--import', 'tsx'],
  },
)
const { ca, ports } = (await messageOf(receivers)) as Receivers
const urls = ports.slice(0, DESTINATIONS).map((port) => `https://127.0.0.1:${port}/`)

const work: Readonly<Record<string, (way: Way) => Promise<Usage>>> = {
  'one document of 1 MB': async (way) => await ingest(way, [LARGE]),
  'small documents, with a model that costs nothing': async (way) =>
    await ingest(
      way,
      Array.from({ length: SMALL_DOCUMENTS }, () => SMALL),
      [new MemoryEmbeddingModel()],
    ),
  deliveries: deliver,
}

try {
  for (const [name, run] of Object.entries(work)) {
    const figures = await inTurn(
      ROUNDS,
      WAYS.flatMap((way) => contestantsOf(way, run)),
    )
    console.log(`\n${name}`)
    console.table(WAYS.map((way) => rowOf(way, figures)))
  }
} finally {
  receivers.kill()
}

interface Usage {
  readonly ms: number
  readonly processorMs: number
}

function contestantsOf(way: Way, run: (way: Way) => Promise<Usage>): readonly Contestant[] {
  let usage: Usage = { ms: Number.NaN, processorMs: Number.NaN }
  return [
    {
      name: `${way} ms`,
      run: async () => {
        usage = await run(way)
        return usage.ms
      },
    },
    { name: `${way} processor ms`, run: () => usage.processorMs },
  ]
}

/** The least time of several runs is the one that other work has disturbed least. */
function rowOf(way: Way, figures: ReadonlyMap<string, Spread>): Readonly<Record<string, string | number>> {
  const leastOf = (of: Way, unit: string): number => figures.get(`${of} ${unit}`)?.least ?? Number.NaN
  const moreOf = (unit: string): string => `${((leastOf(way, unit) / leastOf('nothing', unit) - 1) * 100).toFixed(2)}%`
  return {
    telemetry: way,
    'least ms': leastOf(way, 'ms'),
    'median ms': figures.get(`${way} ms`)?.median ?? Number.NaN,
    'more ms': moreOf('ms'),
    'least processor ms': leastOf(way, 'processor ms'),
    'more processor ms': moreOf('processor ms'),
  }
}

async function usageOf(measured: () => Promise<unknown>): Promise<Usage> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await measured()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, processorMs: (user + system) / 1_000 }
}

async function ingest(
  way: Way,
  contents: readonly Buffer[],
  embeddingModels?: readonly EmbeddingModel[],
): Promise<Usage> {
  return await withFolder(async (dataDir) => {
    const { telemetry, end } = openTelemetry(way)
    const engine = await openLocalEngine({
      dataDir,
      ...(telemetry && { telemetry }),
      ...(embeddingModels && { embeddingModels }),
    })
    try {
      await engine.warmUp()
      const session = engine.as(engine.owner)
      const { id } = await session.contexts.create({ name: 'A', description: 'B', caption: 'C', toolsJson: '[]' })
      const upload = async (content: Buffer): Promise<void> => {
        await session.documents.whenProcessed(await session.documents.upload(id, { fileName: 'a.txt', content }))
      }
      await upload(SMALL)
      return await usageOf(async () => await Promise.all(contents.map(upload)))
    } finally {
      await engine.close()
      end()
    }
  })
}

/** Records events without a relay, then measures the relay alone. */
async function deliver(way: Way): Promise<Usage> {
  return await withFolder(async (dataDir) => {
    const recording = await openEngine(dataDir, [], undefined)
    for (const url of urls) await recording.administration.destinations.create({ url, eventTypes: null })
    for (let event = 0; event < EVENTS; event += 1) await recordOne(recording)
    await recording.close()
    const { telemetry, end } = openTelemetry(way)
    receivers.send(EVENTS * DESTINATIONS)
    let relaying: Engine | undefined
    try {
      return await usageOf(async () => {
        relaying = await openEngine(dataDir, ['relay'], telemetry)
        return await messageOf(receivers)
      })
    } finally {
      await relaying?.close()
      end()
    }
  })
}

async function openEngine(
  dataDir: string,
  roles: readonly 'relay'[],
  telemetry: Telemetry | undefined,
): Promise<Engine> {
  return await openLocalEngine({
    dataDir,
    roles,
    ...(telemetry && { telemetry }),
    embeddingModels: [new MemoryEmbeddingModel()],
    webhooks: { allow: ['127.0.0.1'], certificateAuthorities: [ca] },
  })
}

async function recordOne(engine: Engine): Promise<void> {
  const { companyId } = engine.owner
  await engine.events.record({ type: 'agent.created', data: { agentId: 1, name: 'An agent' }, companyId })
}
