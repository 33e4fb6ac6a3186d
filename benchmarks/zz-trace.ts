import { openAskedEngine } from './stub-engine.js'
import { SqliteLexicalIndex } from '../dist/adapters/words/index.js'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import { timesOf, quantile } from './measure.js'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
const spans = new Map<string, number[]>()
let start = 0
let log: string[] | undefined
function wrap(proto: any, name: string, label: string) {
  const original = proto[name]
  proto[name] = async function (...args: any[]) {
    const t = performance.now()
    try { const r = await original.apply(this, args)
      if (label === 'words' && r.scoresOf) { const so = r.scoresOf; return { ...r, scoresOf: async (c: any) => { const t2 = performance.now(); const x = await so(c); note('scoresOf ' , t2, c.length); return x } } }
      return r }
    finally { note(label, t, args[2]?.length ?? args[2]?.limit) }
  }
}
function note(label: string, t: number, n: number) {
  const now = performance.now()
  spans.set(label, [...(spans.get(label) ?? []), now - t])
  log?.push(`${label} n=${n} from ${(t - start).toFixed(1)} to ${(now - start).toFixed(1)}`)
}
wrap(SqliteLexicalIndex.prototype, 'search', 'words')
wrap(LanceDbVectorIndex.prototype, 'search', 'vectors')
wrap(LanceDbVectorIndex.prototype, 'nearestWindows', 'nearest')
const engine = await openAskedEngine(process.argv[2] ?? '')
const session = engine.as(engine.owner)
const modes = (process.argv[3] ?? 'semantic,hybrid,keyword').split(',')
for (const mode of modes) {
  const search = async (call: number) => { await session.search(1, PROMPTS[call % 5] ?? '', { mode: mode as any }) }
  await timesOf(50, search)
}
for (let round = 0; round < 3; round += 1) for (const mode of modes) {
  const search = async (call: number) => { await session.search(1, PROMPTS[call % 5] ?? '', { mode: mode as any }) }
  spans.clear()
  const times = await timesOf(200, search)
  console.log(mode, quantile(times, 0.5).toFixed(2), [...spans].map(([l, s]) => `${l} ${s.length} p50 ${quantile(s, 0.5).toFixed(2)}`).join('; '))
}
for (const mode of modes) for (let call = 0; call < 5; call += 1) {
  log = []; start = performance.now()
  await session.search(1, PROMPTS[call] ?? '', { mode: mode as any })
  console.log(mode, call, (performance.now() - start).toFixed(1), '\n   ' + log.join('\n   '))
}
await engine.close()
