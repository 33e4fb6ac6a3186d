import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as errors from '../../../src/kernel/errors.js'

type ErrorClass = typeof errors.AlcoveError & { readonly prototype: Error }
type Copy = Readonly<Record<string, ErrorClass>>

/** A class of the engine or of a host, by its name in the sources. */
const NAMES = Object.entries(errors)
  .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
  .map(([name]) => name)
const HOST = `export class HostError extends NotFoundError { constructor() { super('context', 1) } }`

let folder: string
let copies: readonly Copy[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-errors-'))
  // More classes in one bundle than in the other, so that the bundler gives the same short name to different classes.
  copies = await Promise.all(['', 'export class Padding {}; export class MorePadding {};'].map(bundle))
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function bundle(padding: string, at: number): Promise<Copy> {
  const outfile = join(folder, `copy-${at}.mjs`)
  const contents = `${padding} export * from './errors.ts'; import { NotFoundError } from './errors.ts'; ${HOST}`
  const resolveDir = join(import.meta.dirname, '../../../src/kernel')
  await build({ stdin: { contents, resolveDir, loader: 'ts' }, bundle: true, minify: true, format: 'esm', outfile })
  return (await import(pathToFileURL(outfile).href)) as Copy
}

/** An error of a class of one copy. The constructor of the base class reads only the class. */
function made(copy: Copy | undefined, name: string): Error {
  const [base, errorClass] = [copy?.['AlcoveError'], copy?.[name]]
  if (base === undefined || errorClass === undefined) throw new Error(`the bundle has no ${name}`)
  return Reflect.construct(base, ['message'], errorClass) as Error
}

/** True if the sources say that one class is the other, or extends it. */
function isKindOf(name: string, other: string): boolean {
  const [one, parent] = [classes[name], classes[other]]
  return one !== undefined && parent !== undefined && (one === parent || one.prototype instanceof parent)
}
const classes = errors as unknown as Copy

describe('errors of two minified copies of the package', () => {
  it('have short names in the bundles, so that these tests show something', () => {
    const short = copies.map((copy) => Object.getOwnPropertyDescriptor(copy['NotFoundError'], 'name')?.value as string)
    expect(short.every((name) => name.length < 4)).toBe(true)
    expect(NAMES.length).toBeGreaterThan(40)
  })

  it('are recognised by the classes of the other copy that they belong to, and by no other class', () => {
    const wrong: string[] = []
    for (const [from, to] of [copies, copies.toReversed()]) {
      for (const name of NAMES.filter((each) => each !== 'AlcoveError')) {
        const error = made(from, name)
        expect(error.name).toBe(name)
        for (const other of NAMES) {
          const otherClass = to?.[other]
          if (otherClass !== undefined && error instanceof otherClass !== isKindOf(name, other))
            wrong.push(`${name} ${other}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('of a class of a host are of the engine class that it extends, and of no host class of the other copy', () => {
    const [one, other] = copies
    const HostError = one?.['HostError'] as unknown as new () => Error
    const [Other = Error, OtherNotFound = Error] = [other?.['HostError'], other?.['NotFoundError']]
    expect(new HostError()).toBeInstanceOf(HostError)
    expect(new HostError() instanceof OtherNotFound).toBe(true)
    expect(new HostError() instanceof Other).toBe(false)
  })
})

describe('a refusal for a right, a use, a twin or a limit', () => {
  it('has a reason with all its parameters, or does not compile', () => {
    const reason = errors.errorReason('account-of-owner', { account: 7 })
    expect(reason).toEqual({ code: 'account-of-owner', parameters: { account: 7 } })
    expect(new errors.InUseError('the owner acts in the account 7', reason).reason).toBe(reason)
    // @ts-expect-error A refusal has a reason.
    expect(new errors.InUseError('in use').reason).toBeUndefined()
    // @ts-expect-error A refusal has a reason.
    expect(new errors.ForbiddenError('no right').scope).toBeUndefined()
    // @ts-expect-error A refusal has a reason.
    expect(new errors.AlreadyExistsError('exists').reason).toBeUndefined()
    // @ts-expect-error A refusal has a reason.
    expect(new errors.LimitReachedError('the limit is 5').reason).toBeUndefined()
    // @ts-expect-error The reason has a parameter.
    expect(errors.errorReason('account-of-owner').parameters).toEqual({})
    // @ts-expect-error The parameter has another name.
    expect(errors.errorReason('account-of-owner', { user: 7 }).parameters).toEqual({ user: 7 })
    // @ts-expect-error There is no such reason.
    expect(errors.errorReason('unheard-of').code).toBe('unheard-of')
  })
})
