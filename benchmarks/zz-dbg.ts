import { SqliteLexicalIndex } from '../dist/adapters/words/index.js'
import { rmSync } from 'node:fs'
import sqlite from 'sqlite3'
rmSync('/tmp/dbg',{recursive:true,force:true})
const i=new SqliteLexicalIndex('/tmp/dbg')
await i.add('a',{documentId:1,chunks:[0],terms:[['apple','pear','apple']]})
console.log(await i.search('a',new Map([['apple',1]]),{limit:3}))
const d=new sqlite.Database('/tmp/dbg/a.sqlite')
for (const q of ['select * from postings','select * from runs','select * from state']) d.all(q,(e,r)=>console.log(e,r))
