import { sha256 } from '@noble/hashes/sha2.js'
const text = 'Lorem ipsum dolor sit amet, '.repeat(40)
for (let r = 0; r < 4; r++) { let t = performance.now(); for (let i = 0; i < 9000; i++) sha256(new TextEncoder().encode('ns\0' + text + i)); console.log('noble', (performance.now() - t).toFixed(0), 'ms for', (9000 * text.length / 1e6).toFixed(1), 'MB') 
 t = performance.now(); const all = []; for (let i = 0; i < 9000; i++) all.push(crypto.subtle.digest('SHA-256', new TextEncoder().encode('ns\0' + text + i))); await Promise.all(all); console.log('subtle', (performance.now() - t).toFixed(0)) }
