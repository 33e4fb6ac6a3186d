import { openAskedEngine } from './stub-engine.js'
import { SqliteLexicalIndex } from '../dist/adapters/words/index.js'
import sqlite from 'sqlite3'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
let last: any
const original = SqliteLexicalIndex.prototype.search
;(SqliteLexicalIndex.prototype as any).search = async function (...args: any[]) { last = args; return await (original as any).apply(this, args) }
const engine = await openAskedEngine(process.argv[2] ?? '')
const session = engine.as(engine.owner)
const db = new sqlite.Database(process.argv[2] + '/words/context-1-words-1.sqlite')
for (const p of PROMPTS) {
  await session.search(1, p, { mode: 'hybrid' })
  const terms = [...last[1].keys()]
  const rows: any = await new Promise((r) => db.all('select term, count(*) as rows, sum(length(postings))/8 as n from postings where term in (select value from json_each(?)) group by term', [JSON.stringify(terms)], (e, x) => r(x)))
  console.log(p, [...last[1]].map(([t, w]) => `${t}:${w} ${rows.find((x: any) => x.term === t)?.n ?? 0}/${rows.find((x: any) => x.term === t)?.rows ?? 0}`).join(' '), JSON.stringify(last[2]))
}
await engine.close()
