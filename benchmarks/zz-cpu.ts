import { openLocalEngine } from '../dist/adapters/local/index.js'
import { SqliteLexicalIndex } from '../dist/adapters/words/index.js'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import { openDefaultModel } from './default-model.js'
import { openAskedEngine } from './stub-engine.js'
import { quantile, timesOf } from './measure.js'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
const calls: Record<string, any[]> = { words: [], vectors: [], nearest: [] , embed: []}
function wrap(proto: any, name: string, label: string) {
  const original = proto[name]
  proto[name] = async function (...args: any[]) {
    calls[label]?.push([this, original, args])
    return await original.apply(this, args)
  }
}
wrap(SqliteLexicalIndex.prototype, 'search', 'words')
wrap(LanceDbVectorIndex.prototype, 'search', 'vectors')
wrap(LanceDbVectorIndex.prototype, 'nearestWindows', 'nearest')
const engine = await openAskedEngine(process.argv[2] ?? '')
const session = engine.as(engine.owner)
for (let call = 0; call < 50; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode: 'hybrid' })
for (const label of Object.keys(calls)) (calls[label] as any[]).splice(0)
for (let call = 0; call < 5; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode: 'hybrid' })
async function measure(label: string, run: (call: number) => Promise<unknown>) {
  for (let i = 0; i < 30; i += 1) await run(i)
  const cpu = process.cpuUsage(), t = performance.now()
  const times = await timesOf(300, run as any)
  const used = process.cpuUsage(cpu)
  console.log(label, 'wall p50', quantile(times, 0.5).toFixed(2), 'mean', ((performance.now() - t) / 300).toFixed(2), 'cpu', ((used.user + used.system) / 300_000).toFixed(2))
}
for (let round = 0; round < 2; round += 1) {
for (const [label, list] of Object.entries(calls)) if (list.length > 0) {
  const sizes = [...new Set(list.map(([, , a]) => a[2].limit ?? a[2].length))]
  for (const size of sizes) {
    const same = list.filter(([, , a]) => (a[2].limit ?? a[2].length) === size)
    await measure(`${label} ${size} (${same.length} calls)`, async (i) => { const [self, f, args] = same[i % same.length]; await f.apply(self, args) })
  }
}
{
  const v = calls.vectors.filter(([, , a]) => a[2].limit === 20), n = calls.nearest
  await measure('vectors || nearest', async (i) => { const [s1, f1, a1] = v[i % v.length], [s2, f2, a2] = n[i % n.length]; await Promise.all([f1.apply(s1, a1), f2.apply(s2, a2)]) })
  await measure('vectors then nearest', async (i) => { const [s1, f1, a1] = v[i % v.length], [s2, f2, a2] = n[i % n.length]; await f1.apply(s1, a1); await f2.apply(s2, a2) })
  await measure('vectors 2', async (i) => { const [s1, f1, a1] = v[i % v.length]; await Promise.all([f1.apply(s1, a1),f1.apply(s1, a1)]) })
  await measure('nearest 2', async (i) => { const [s1, f1, a1] = n[i % n.length]; await Promise.all([f1.apply(s1, a1),f1.apply(s1, a1)]) })
}
const model = await openDefaultModel()
await measure('embed', async (i) => await model.embed([PROMPTS[i % 5] ?? ''], { kind: 'query' } as any))
await model.close()
for (const mode of ['semantic', 'hybrid', 'keyword'] as const) await measure(mode, async (i) => await session.search(1, PROMPTS[i % 5] ?? '', { mode }))
}
await engine.close()
