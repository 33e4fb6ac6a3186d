import { ScoreSums } from '../adapters/words/score-sums.js'
import { LengthFactors } from '../adapters/words/length-factors.js'
const N = Number(process.argv[2] ?? 86000)
const b = Buffer.alloc(N * 8)
for (let i = 0; i < N; i++) { b.writeUInt32BE(i, i * 8); b.writeUInt16BE(1 + Math.floor(Math.random() * 5), i * 8 + 4); b.writeUInt16BE(100 + Math.floor(Math.random() * 50), i * 8 + 6) }
for (let r = 0; r < 12; r++) {
  const f = new LengthFactors(120)
  const sums = new ScoreSums(f); let t = performance.now(); sums.add({ postings: b, idf: 2 }, 0); const a = performance.now() - t
  t = performance.now(); sums.best(50, undefined, undefined); console.log('add', a.toFixed(2), 'best', (performance.now() - t).toFixed(3)); sums.release()
}
