/**
 * Opens the given folder. Unless a former process did, creates a company with many contexts, documents and events
 * there, and deletes it.
 */
import { openLocalEngine } from '../../dist/adapters/local/index.js'

const [dataDir] = process.argv.slice(2)
const engine = await openLocalEngine({ dataDir })
const { administration } = engine
const { items } = await administration.audit.list({ action: 'company.deleted' })
if (items.length === 0) {
  const { id: companyId } = await administration.companies.create({ name: 'Analytical Engines', parentId: 1 })
  const { userId } = await administration.apiKeys.create({ companyId })
  await administration.users.add({ email: 'ada.lovelace@example.com', companyId })
  const accounts = await administration.accounts.list()
  const account = accounts.find(
    ({ customerId, application }) => customerId === companyId && application === 'assistant',
  )
  const session = engine.as({ companyId, userId, accountId: account.id })
  for (let at = 0; at < 40; at += 1) {
    const context = { name: `Handbook ${at}`, description: '', caption: '', toolsJson: '[]' }
    const { id } = await session.contexts.create(context)
    await session.documents.upload(id, { fileName: 'leave.txt', content: Buffer.from(`Parental leave ${at}.`) })
  }
  for (let at = 0; at < 1_500; at += 1) {
    await engine.events.record({ type: 'agent.deleted', data: { agentId: at }, companyId })
  }
  await administration.companies.delete(companyId)
}
process.send({ isDeleted: true })
