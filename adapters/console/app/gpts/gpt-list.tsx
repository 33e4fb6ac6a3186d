import { type ReactElement, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { phrases, plural, useTexts } from '../texts/phrases.js'
import { Button, ButtonLink } from '../ui/buttons.js'
import { TextField } from '../ui/form/fields.js'
import { EmptyState, Loaded } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { SharedBadge } from './shared-badge.js'
import { type Gpt, useGpts } from './use-gpts.js'

const TEXTS = phrases({
  en: {
    title: 'My GPTs',
    intro: 'Assistants with your instructions and your documents.',
    create: 'New GPT',
    search: 'Search by name',
    found: (count: number, isAll: boolean) => (isAll ? `${count} found` : `${count} found so far …`),
    mine: 'Your GPTs',
    noneMine: 'You have made none yet.',
    shared: 'Shared with you',
    others: 'Private ones of other users',
    more: 'Show more',
    noneFound: 'No GPT has such a name',
    noneFoundText: 'The search looks for the letters anywhere in the name. Try fewer of them.',
    empty: 'Create your first GPT',
    emptyText: 'A GPT is an assistant for one purpose, such as questions about your handbook. It takes three steps:',
    emptySteps: [
      'Tell it in your own words how it should behave.',
      'Give it documents. It finds the passages that answer a question.',
      'Try a search, then share it with your colleagues.',
    ],
    emptyReader: 'You may use GPTs, but not create them. As soon as somebody shares one with you, you find it here.',
    first: 'Create the first GPT',
  },
  de: {
    title: 'Meine GPTs',
    intro: 'Assistenten mit deinen Anweisungen und deinen Dokumenten.',
    create: 'Neues GPT',
    search: 'Nach Namen suchen',
    found: (count, isAll) => (isAll ? `${count} gefunden` : `${count} bisher gefunden …`),
    mine: 'Deine GPTs',
    noneMine: 'Du hast noch keines erstellt.',
    shared: 'Mit dir geteilt',
    others: 'Private von anderen Benutzern',
    more: 'Mehr anzeigen',
    noneFound: 'Kein GPT heißt so',
    noneFoundText: 'Die Suche findet die Buchstaben überall im Namen. Versuche es mit weniger.',
    empty: 'Erstelle dein erstes GPT',
    emptyText:
      'Ein GPT ist ein Assistent für einen Zweck, zum Beispiel für Fragen zu eurem Handbuch. Du brauchst drei Schritte:',
    emptySteps: [
      'Sag ihm in eigenen Worten, wie es sich verhalten soll.',
      'Gib ihm Dokumente. Es findet die Stellen, die eine Frage beantworten.',
      'Probiere die Suche aus und teile es dann mit deinem Team.',
    ],
    emptyReader:
      'Du darfst GPTs benutzen, aber keine erstellen. Sobald jemand eines mit dir teilt, findest du es hier.',
    first: 'Das erste GPT erstellen',
  },
})

const SHOWN_AT_ONCE = 60

/** The cards of all contexts that the user may see: own ones, shared ones, and those of others. */
export function GptList(): ReactElement {
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const query = useGpts()
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          can('context:write') && (
            <ButtonLink href="/gpts/new" kind="primary">
              {texts.create}
            </ButtonLink>
          )
        }
      >
        {texts.intro}
      </PageHead>
      <Loaded query={query}>{(gpts) => (gpts.length === 0 ? <NoGpts /> : <Found query={query} gpts={gpts} />)}</Loaded>
    </>
  )
}

function NoGpts(): ReactElement {
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  if (!can('context:write')) return <EmptyState title={texts.title}>{texts.emptyReader}</EmptyState>
  return (
    <EmptyState
      title={texts.empty}
      action={
        <ButtonLink href="/gpts/new" kind="primary">
          {texts.first}
        </ButtonLink>
      }
    >
      <p>{texts.emptyText}</p>
      <ol className="gpts-steps">
        {texts.emptySteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </EmptyState>
  )
}

interface FoundProps {
  readonly query: Pick<
    ReturnType<typeof useGpts>,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
  >
  readonly gpts: readonly Gpt[]
}

function Found({ query, gpts }: FoundProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { login } = useLogin()
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const isSearching = search.trim() !== ''
  const found = isSearching ? gpts.filter(({ name }) => has(name, search.trim())) : gpts
  // Names are searched here, so a search reads all pages.
  useEffect(() => {
    const needsMore = isSearching || found.length < shown
    if (needsMore && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isSearching, found.length, shown, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  const visible = found.slice(0, shown)
  const mine = visible.filter(({ userId }) => userId === login.user.id)
  const shared = visible.filter(({ userId, shareState }) => userId !== login.user.id && shareState === 1)
  const others = visible.filter(({ userId, shareState }) => userId !== login.user.id && shareState === 0)
  return (
    <>
      <search className="gpts-search">
        <TextField label={texts.search} type="search" value={search} onChange={setSearch} />
        <p role="status" className="soft">
          {isSearching ? texts.found(found.length, !hasNextPage) : ''}
        </p>
      </search>
      {found.length === 0 && !hasNextPage && <EmptyState title={texts.noneFound}>{texts.noneFoundText}</EmptyState>}
      <Group title={texts.mine} gpts={mine} {...(!isSearching && { none: texts.noneMine })} />
      <Group title={texts.shared} gpts={shared} />
      <Group title={texts.others} gpts={others} />
      {(found.length > shown || hasNextPage) && (
        <Button isPending={isFetchingNextPage} onPress={() => setShown(shown + SHOWN_AT_ONCE)}>
          {texts.more}
        </Button>
      )}
    </>
  )
}

/** Contexts of one kind. Without any, it is there only if it has something to say about that. */
function Group({
  title,
  gpts,
  none,
}: {
  readonly title: string
  readonly gpts: readonly Gpt[]
  readonly none?: string
}): ReactElement | null {
  if (gpts.length === 0 && none === undefined) return null
  return (
    <section className="gpts-group" aria-label={title}>
      <h2>{title}</h2>
      {gpts.length === 0 ? (
        <p className="soft">{none}</p>
      ) : (
        <ul className="cards">
          {gpts.map((gpt) => (
            <GptCard key={gpt.id} gpt={gpt} />
          ))}
        </ul>
      )}
    </section>
  )
}

function has(name: string, part: string): boolean {
  return fold(name).includes(fold(part))
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

const GPT_CARD_TEXTS = phrases({
  en: { prompts: (count: number) => plural.en(count, '1 starter prompt', `${count} starter prompts`) },
  de: { prompts: (count) => plural.de(count, '1 Startfrage', `${count} Startfragen`) },
})

/** A context in the list. */
function GptCard({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(GPT_CARD_TEXTS)
  return (
    <li className="card gpts-card">
      <h3>
        <Link href={`/gpts/${gpt.id}`} className="gpts-card-link">
          {gpt.name}
        </Link>
      </h3>
      {gpt.caption !== '' && <p className="gpts-caption">{gpt.caption}</p>}
      <p className="gpts-card-foot">
        <span className="soft">{texts.prompts(gpt.starterPrompts.length)}</span>
        <SharedBadge gpt={gpt} />
      </p>
    </li>
  )
}
