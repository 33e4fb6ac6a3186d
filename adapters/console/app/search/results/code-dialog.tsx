import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { serverAddresses } from '../../api/api.js'
import { useLogin, useOwnSight } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Dialog } from '../../ui/dialogs.js'
import { Tabs } from '../../ui/tabs.js'
import type { SearchRequest } from '../use-search.js'

const TEXTS = phrases({
  en: {
    title: 'This search as code',
    ways: 'Ways to search',
    curl: 'curl',
    client: 'TypeScript, over the network',
    host: 'TypeScript, in your application',
    curlHint:
      'Put an access token of an API key into the variable TOKEN first: the page of a new API key shows the command. It is valid for 15 minutes.',
    clientHint: 'Put an API key into the variables CLIENT_ID and CLIENT_SECRET first.',
    hostHint: 'For an application that has the engine inside. Put your own folder in place of ./alcove-data.',
    /** The key that sees these GPTs, and the link to a new one. */
    keyNeeded: {
      user: 'The key must see the GPTs of this search: take one that acts as “Me”. Another key sees shared GPTs, but not your private ones, and gets 404.',
      account:
        'The key must see the GPTs of this search: take one that sees all GPTs of the account. Another key gets 404 for a private GPT of somebody else.',
    },
    makeKey: 'Create an API key',
    copy: 'Copy this code',
  },
  de: {
    title: 'Diese Suche als Code',
    ways: 'Wege zu suchen',
    curl: 'curl',
    client: 'TypeScript, übers Netz',
    host: 'TypeScript, in deiner Anwendung',
    curlHint:
      'Lege zuerst ein Zugriffstoken eines API-Schlüssels in die Variable TOKEN: Den Befehl zeigt die Seite eines neuen API-Schlüssels. Es gilt 15 Minuten.',
    clientHint: 'Lege zuerst einen API-Schlüssel in die Variablen CLIENT_ID und CLIENT_SECRET.',
    hostHint: 'Für eine Anwendung, in der die Engine läuft. Setze deinen Ordner an die Stelle von ./alcove-data.',
    keyNeeded: {
      user: 'Der Schlüssel muss die GPTs dieser Suche sehen: Nimm einen, der als „Ich“ handelt. Ein anderer sieht geteilte GPTs, aber nicht deine privaten, und bekommt 404.',
      account:
        'Der Schlüssel muss die GPTs dieser Suche sehen: Nimm einen, der alle GPTs des Kontos sieht. Ein anderer bekommt 404 für ein privates GPT von jemand anderem.',
    },
    makeKey: 'API-Schlüssel erstellen',
    copy: 'Diesen Code kopieren',
  },
})

interface CodeDialogProps {
  /** The search; undefined if the dialog is closed. */
  readonly request: SearchRequest | undefined
  readonly onClose: () => void
}

/** A search as a command and as programs that run as they are. */
export function CodeDialog({ request, onClose }: CodeDialogProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const sight = useOwnSight()
  const baseUrl = location.origin + serverAddresses().apiPath
  const keyHint = (
    <p className="soft">
      {texts.keyNeeded[sight]} {can('tenant:manage') && <Link href="/people/keys/new">{texts.makeKey}</Link>}
    </p>
  )
  const tab = (id: string, title: string, hint: string, code: string, needsKey = true) => ({
    id,
    title,
    content: (
      <>
        <p className="soft">{hint}</p>
        {needsKey && keyHint}
        <pre>{code}</pre>
        <CopyButton text={code} label={texts.copy} />
      </>
    ),
  })
  return (
    <Dialog title={texts.title} isOpen={request !== undefined} onClose={onClose} isWide>
      {request !== undefined && (
        <Tabs
          label={texts.ways}
          tabs={[
            tab('curl', texts.curl, texts.curlHint, curlText(request, baseUrl)),
            tab('client', texts.client, texts.clientHint, clientText(request, baseUrl)),
            tab('host', texts.host, texts.hostHint, hostText(request), false),
          ]}
        />
      )}
    </Dialog>
  )
}

/** @param baseUrl address of the API. @returns a command that runs once `TOKEN` has an access token */
function curlText({ contextIds, ...body }: SearchRequest, baseUrl: string): string {
  const [only] = contextIds
  const isOne = contextIds.length === 1 && only !== undefined
  const path = isOne ? `/context/relevant-docs/${only}` : '/context/relevant-docs'
  const json = JSON.stringify({ ...(!isOne && { contextIds }), ...body, include: ['score', 'source', 'match'] })
  return [
    `curl ${quoted(baseUrl + path)} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(json)}`,
  ].join('\n')
}

/** @returns a program for `alcove/client`, with the API key in the environment */
function clientText({ contextIds, ...body }: SearchRequest, baseUrl: string): string {
  const [only] = contextIds
  const isOne = contextIds.length === 1 && only !== undefined
  const included = "include: ['score', 'source', 'match']"
  const members = [...membersOf(isOne ? body : { contextIds, ...body }), included].join(', ')
  const path = isOne ? '/context/relevant-docs/{contextId}' : '/context/relevant-docs'
  return [
    "import { createAlcoveClient, dataOf } from 'alcove/client'",
    '',
    'const client = createAlcoveClient({',
    `  baseUrl: ${literal(baseUrl)},`,
    "  access: { clientId: process.env['CLIENT_ID'] ?? '', clientSecret: process.env['CLIENT_SECRET'] ?? '' },",
    '})',
    'const hits = await dataOf(',
    `  client.POST('${path}', {`,
    ...(isOne ? [`    params: { path: { contextId: ${only} } },`] : []),
    `    body: { ${members} },`,
    '  }),',
    ')',
    'for (const { score, source } of hits) console.log(score?.toFixed(3), source?.displayName)',
    '',
  ].join('\n')
}

/** @returns a program for a host application */
function hostText({ contextIds, prompt, ...options }: SearchRequest): string {
  const [only] = contextIds
  const called = contextIds.length === 1 && only !== undefined ? `search(${only}` : `searchAll(${literal(contextIds)}`
  const given = Object.keys(options).length === 0 ? '' : `, ${literal(options)}`
  return [
    "import { openLocalEngine } from 'alcove/local'",
    '',
    "const engine = await openLocalEngine({ dataDir: './alcove-data' })",
    'const session = engine.as(engine.owner)',
    `const hits = await session.${called}, ${literal(prompt)}${given})`,
    'for (const { score, source } of hits) console.log(score.toFixed(3), source.displayName)',
    'await engine.close()',
    '',
  ].join('\n')
}

/** A word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A value as TypeScript writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${membersOf(value).join(', ')} }`
}

function membersOf(value: object): string[] {
  return Object.entries(value).map(([key, member]) => `${nameOf(key)}: ${literal(member)}`)
}

function nameOf(key: string): string {
  // Any other form of this name would set the prototype.
  if (key === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}
