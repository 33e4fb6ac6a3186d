/**
 * Two companies in one host: each has its own assistant, and neither sees the other's.
 *
 *     npx tsx examples/two-companies.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AlcoveError, type Engine, type Principal, type Session } from 'alcove'
import { openLocalEngine } from 'alcove/local'

const dataDir = await mkdtemp(join(tmpdir(), 'two-companies-'))
const engine = await openLocalEngine({ dataDir })

const bakery = engine.as(await addCompany(engine, 'Bakery', 'ada@bakery.example'))
const harbour = engine.as(await addCompany(engine, 'Harbour', 'bo@harbour.example'))
const bread = await addAssistant(bakery, 'Bread', 'Sourdough rests for eighteen hours before it is baked.')
await addAssistant(harbour, 'Ships', 'No ship may enter the port between November and March.')

const [answer] = await bakery.search(bread, 'How long does the dough rest?')
console.log(`the bakery finds: ${answer?.content ?? 'nothing'}`)
console.log(`the harbour sees: ${(await harbour.contexts.list()).map(({ name }) => name).join(', ')}`)
try {
  await harbour.search(bread, 'How long does the dough rest?')
} catch (error) {
  console.log(`the harbour asks the bakery's assistant: ${error instanceof AlcoveError ? error.code : 'failed'}`)
}

await engine.close()
await rm(dataDir, { recursive: true })

/** A company below the root, and its first user: a member of its account for assistants. */
async function addCompany({ administration, owner }: Engine, name: string, email: string): Promise<Principal> {
  const { id: companyId } = await administration.companies.create({ name, parentId: owner.companyId })
  const { id: userId } = await administration.users.add({ email, companyId })
  const accounts = await administration.accounts.list()
  const account = accounts.find((each) => each.customerId === companyId && each.application === 'assistant')
  return { companyId, userId, accountId: account?.id ?? 0 }
}

/** @returns the id of its context */
async function addAssistant(session: Session, name: string, text: string): Promise<number> {
  const { id } = await session.contexts.create({ name, description: name, caption: name, toolsJson: '[]' })
  const content = Buffer.from(text)
  await session.documents.whenProcessed(await session.documents.upload(id, { fileName: 'facts.txt', content }))
  return id
}
