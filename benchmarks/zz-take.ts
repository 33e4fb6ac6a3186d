import { connect } from '@lancedb/lancedb'
import { quantile, timesOf } from './measure.js'
const db = await connect(process.argv[2] + '/vectors')
const names = await db.tableNames(); const table = await db.openTable(names[0]!)
console.log(await table.schema().then(s => s.fields.map(f => f.name + ':' + f.type)), await table.countRows(), await table.listIndices())
const all = (await table.query().select(['chunk_key']).withRowId().toArrow())
const keyName = (await table.schema()).fields.map(f => f.name).find(n => /key/i.test(n))!
const keys = [...(all.getChild(keyName)!.toArray() as any)], ids = [...(all.getChild('_rowid')!.toArray() as any)]
let seed = 1; const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
const pick = (n: number) => Array.from({ length: n }, () => Math.floor(rnd() * keys.length))
async function measure(label: string, run: (call: number) => Promise<unknown>) {
  for (let i = 0; i < 30; i += 1) await run(i)
  const cpu = process.cpuUsage()
  const times = await timesOf(300, run as any)
  const used = process.cpuUsage(cpu)
  console.log(label, 'wall p50', quantile(times, 0.5).toFixed(2), 'cpu', ((used.user + used.system) / 300_000).toFixed(2))
}
for (let r = 0; r < 2; r++) for (const n of [5, 30]) {
  await measure(`where ${n}`, async () => table.query().where(`${keyName} IN (${pick(n).map(i => keys[i]).join(',')})`).select([keyName, 'window', 'vector']).toArrow())
  await measure(`where rowid only ${n}`, async () => table.query().where(`${keyName} IN (${pick(n).map(i => keys[i]).join(',')})`).select([keyName]).withRowId().toArrow())
  await measure(`takeRowIds ${n}`, async () => (table as any).takeRowIds(pick(n).map(i => Number(ids[i]))).select([keyName, 'window', 'vector']).toArrow())
  await measure(`schema`, async () => table.schema())
}
