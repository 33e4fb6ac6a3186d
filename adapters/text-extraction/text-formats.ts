import type { TextFormat } from '../../src/ports/index.js'

/** Plain text under other names than .txt. */
export const TEXT_FORMATS: readonly TextFormat[] = [
  { extension: '.log', contentType: 'text/plain' },
  { extension: '.yaml', contentType: 'application/yaml' },
  { extension: '.yml', contentType: 'application/yaml' },
  { extension: '.toml', contentType: 'application/toml' },
  { extension: '.xml', contentType: 'application/xml' },
  { extension: '.ini', contentType: 'text/plain' },
  { extension: '.srt', contentType: 'application/x-subrip' },
  { extension: '.vtt', contentType: 'text/vtt' },
]

/** The endings of source code, without the dot. */
const CODE = [
  'js mjs cjs jsx ts mts cts tsx vue svelte css scss less php',
  'py pyi rb pl pm lua r jl sh bash zsh ps1 bat cmd',
  'c h cc cpp cxx hh hpp m mm cs fs vb java kt kts scala groovy gradle clj swift dart',
  'go rs zig nim ex exs erl hs ml elm pas f90 asm',
  'sql graphql proto tf hcl cmake mk',
]

/** Source code. The engine cuts it at its definitions. */
export const CODE_FORMATS: readonly TextFormat[] = CODE.join(' ')
  .split(' ')
  .map((ending) => ({ extension: `.${ending}`, contentType: 'text/plain', isCode: true }))
