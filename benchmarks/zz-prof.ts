import { openAskedEngine } from './stub-engine.js'
import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
const engine = await openAskedEngine(process.argv[2] ?? '')
const session = engine.as(engine.owner)
const mode = process.argv[3] as any
for (let call = 0; call < 100; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode })
const inspector = new Session(); inspector.connect()
await inspector.post('Profiler.enable'); await inspector.post('Profiler.setSamplingInterval', { interval: 200 }); await inspector.post('Profiler.start')
const N = 300
const cpu = process.cpuUsage(), t = performance.now()
for (let call = 0; call < N; call += 1) await session.search(1, PROMPTS[call % 5] ?? '', { mode })
const used = process.cpuUsage(cpu)
console.log(mode, 'wall', ((performance.now() - t) / N).toFixed(2), 'cpu user', (used.user / N / 1000).toFixed(2), 'sys', (used.system / N / 1000).toFixed(2))
const { profile } = await inspector.post('Profiler.stop') as any
const self = new Map<string, number>()
const byId = new Map(profile.nodes.map((n: any) => [n.id, n]))
profile.samples.forEach((id: number, i: number) => { const n: any = byId.get(id); const f = n.callFrame; const key = `${f.functionName} ${f.url.split('/').slice(-2).join('/')}:${f.lineNumber}`; self.set(key, (self.get(key) ?? 0) + profile.timeDeltas[i]) })
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 40)) console.log((v / N / 1000).toFixed(3), k)

const incl = new Map<string, number>(); const selfById = new Map<number, number>()
profile.samples.forEach((id: number, i: number) => selfById.set(id, (selfById.get(id) ?? 0) + profile.timeDeltas[i]))
function walk(n: any, stack: Set<string>): number {
  const f = n.callFrame; const key = `${f.functionName} ${f.url.split('/').slice(-2).join('/')}:${f.lineNumber}`
  const fresh = !stack.has(key); if (fresh) stack.add(key)
  let total = selfById.get(n.id) ?? 0
  for (const c of n.children ?? []) total += walk(byId.get(c), stack)
  if (fresh) { stack.delete(key); incl.set(key, (incl.get(key) ?? 0) + total) }
  return total
}
walk(profile.nodes[0], new Set())
console.log('INCLUSIVE')
for (const [k, v] of [...incl].sort((a, b) => b[1] - a[1]).slice(0, 90)) console.log((v / N / 1000).toFixed(3), k)
await engine.close()
