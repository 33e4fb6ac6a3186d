import type { Attributes, BatchObservableCallback, Histogram, Meter, ObservableGauge } from '@opentelemetry/api'
import { GAUGES, type GaugeName, type Measure, SPANS, type SpanName } from '../../src/ports/index.js'

/** Upper bounds of the buckets of all durations, in seconds: from a read of an index to a large document. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800]

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[]
}

/** The instruments of one meter. Each has its name and its unit from the tables of the ports. */
export class Instruments {
  readonly #durations: ReadonlyMap<SpanName, Histogram>
  readonly #gauges: ReadonlyMap<GaugeName, ObservableGauge>
  /** Counts by name and level. They are cheaper than a counter of the SDK, which makes a text of the labels each time. */
  readonly #events = new Map<string, Map<string, number>>()

  constructor(private readonly meter: Meter) {
    this.#durations = new Map(
      namesOf(SPANS).map((name) => {
        const advice = { explicitBucketBoundaries: BUCKETS_SECONDS }
        const options = { description: SPANS[name].description, unit: 's', advice }
        return [name, meter.createHistogram(`${name}.duration_seconds`, options)]
      }),
    )
    this.#gauges = new Map(
      namesOf(GAUGES).map((name) => {
        const { description, unit } = GAUGES[name]
        return [name, meter.createObservableGauge(name, { description, unit })]
      }),
    )
    const events = meter.createObservableCounter('alcove.events', {
      description: 'Telemetry events of the engine',
      unit: '{event}',
    })
    events.addCallback((result) => {
      for (const [level, counts] of this.#events) {
        for (const [name, count] of counts)
          result.observe(count, { 'alcove.event.name': name, 'alcove.event.level': level })
      }
    })
  }

  recordDuration(name: SpanName, durationMs: number, labels: Attributes): void {
    this.#durations.get(name)?.record(durationMs / 1_000, labels)
  }

  countEvent(name: string, level: string): void {
    const counts = this.#events.get(level) ?? new Map<string, number>()
    this.#events.set(level, counts)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  /** Measures at each collection. @returns a function that ends this */
  observe(measure: Measure): () => void {
    const gauges = [...this.#gauges.values()]
    const callback: BatchObservableCallback = async (result) => {
      for (const { name, value, labels } of await measure()) {
        const gauge = this.#gauges.get(name)
        if (gauge !== undefined) result.observe(gauge, value, labels)
      }
    }
    this.meter.addBatchObservableCallback(callback, gauges)
    return () => this.meter.removeBatchObservableCallback(callback, gauges)
  }
}
