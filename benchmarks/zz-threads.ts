import { openAskedEngine } from './stub-engine.js'
import { readdirSync, readFileSync } from 'node:fs'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
const engine = await openAskedEngine(process.argv[2] ?? '')
const session = engine.as(engine.owner)
function snap() {
  const m = new Map<string, number>()
  for (const t of readdirSync('/proc/self/task')) {
    const sched = readFileSync(`/proc/self/task/${t}/schedstat`, 'utf8').split(' ')
    m.set(t + ' ' + readFileSync(`/proc/self/task/${t}/comm`, 'utf8').trim(), Number(sched[0]) / 1e6)
  }
  return m
}
for (const mode of (process.argv[3] ?? 'semantic,hybrid').split(',') as any[]) {
  for (let call = 0; call < 100; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode })
  const N = 300, before = snap(), t = performance.now()
  for (let call = 0; call < N; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode })
  const wall = (performance.now() - t) / N, after = snap()
  console.log(mode, wall.toFixed(2))
  const rows = [...after].map(([k, v]) => [k, (v - (before.get(k) ?? 0)) / N] as const).filter(([, v]) => v > 0.02).sort((a, b) => b[1] - a[1])
  for (const [k, v] of rows) console.log('   ', v.toFixed(3), k)
}
await engine.close()
