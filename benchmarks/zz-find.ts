import { Readable } from 'node:stream'
import { Session as Inspector } from 'node:inspector/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { longText } from './sample-texts.js'
const TEXTS = { name: 'A', description: '', caption: '', toolsJson: '[]' }
const engine = await openLocalEngine({ dataDir: process.argv[2]! })
const session = engine.as(engine.owner)
const { id } = await session.contexts.create({ ...TEXTS, settings: { maxSizeBytes: 1_000_000_000 } })
await session.documents.whenProcessed(await session.documents.upload(id, { fileName: 'first.txt', content: Readable.from([Buffer.from('What comes first.')]) }))
const pieces = [...longText(10e6), Buffer.from(` The last word is zanz.`)]
const told = new Promise<void>((resolve) => engine.on('document.findable', () => resolve()))
function snap() {
  const m = new Map<string, number>()
  for (const t of readdirSync('/proc/self/task')) {
    const sched = readFileSync(`/proc/self/task/${t}/schedstat`, 'utf8').split(' ')
    m.set(t + ' ' + readFileSync(`/proc/self/task/${t}/comm`, 'utf8').trim(), Number(sched[0]) / 1e6)
  }
  return m
}
const inspector = process.argv[3] ? new Inspector() : undefined
if (inspector) { inspector.connect(); await inspector.post('Profiler.enable'); await inspector.post('Profiler.setSamplingInterval', { interval: 500 }); await inspector.post('Profiler.start') }
const before = snap(), began = performance.now()
await session.documents.upload(id, { fileName: 'long.txt', content: Readable.from(pieces) })
await told
console.log('findable', (performance.now() - began).toFixed(0))
const after = snap()
for (const [k, v] of [...after].map(([k, v]) => [k, v - (before.get(k) ?? 0)] as const).filter(([, v]) => v > 20).sort((a, b) => b[1] - a[1])) console.log('   ', v.toFixed(0), k)
if (inspector) {
const { profile } = await inspector.post('Profiler.stop') as any
const self = new Map<string, number>(), incl = new Map<string, number>()
const byId = new Map(profile.nodes.map((n: any) => [n.id, n])); const selfById = new Map<number, number>()
const keyOf = (f: any) => `${f.functionName} ${f.url.split('/').slice(-2).join('/')}:${f.lineNumber}`
profile.samples.forEach((id: number, i: number) => { const k = keyOf((byId.get(id) as any).callFrame); self.set(k, (self.get(k) ?? 0) + profile.timeDeltas[i]); selfById.set(id, (selfById.get(id) ?? 0) + profile.timeDeltas[i]) })
function walk(n: any, stack: Set<string>): number {
  const key = keyOf(n.callFrame)
  const fresh = !stack.has(key); if (fresh) stack.add(key)
  let total = selfById.get(n.id) ?? 0
  for (const c of n.children ?? []) total += walk(byId.get(c), stack)
  if (fresh) { stack.delete(key); incl.set(key, (incl.get(key) ?? 0) + total) }
  return total
}
walk(profile.nodes[0], new Set())
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 30)) console.log((v / 1000).toFixed(0), k)
console.log('INCLUSIVE')
for (const [k, v] of [...incl].sort((a, b) => b[1] - a[1]).slice(0, 60)) console.log((v / 1000).toFixed(0), k)
}
process.exit(0)
