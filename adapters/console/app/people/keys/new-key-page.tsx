import { type ReactElement, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { serverAddresses } from '../../api/api.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Loaded, Note } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { useCompanies } from '../use-companies.js'
import { KeyForm } from './key-form.js'
import { KEY_TEXTS } from './key-texts.js'
import { type NewApiKey, useCreateKey } from './use-keys.js'

/** Makes an API key, and shows its secret: at `/people/keys/new`. */
export function NewKeyPage(): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const companies = useCompanies()
  const create = useCreateKey()
  if (create.data !== undefined) return <KeySecret apiKey={create.data} />
  return (
    <>
      <BackLink href="/people/keys">{texts.back}</BackLink>
      <PageHead title={texts.create}>{texts.intro}</PageHead>
      <Loaded query={companies}>
        {({ root }) => (
          <KeyForm
            rootId={root?.id}
            isPending={create.isPending}
            error={create.error}
            onCreate={(input) => create.mutate(input)}
            onEdit={() => create.reset()}
          />
        )}
      </Loaded>
    </>
  )
}

/** A new key with its secret, which only this moment shows. */
function KeySecret({ apiKey }: { readonly apiKey: NewApiKey }): ReactElement {
  const { clientId, clientSecret, targets } = apiKey
  const texts = useTexts(KEY_TEXTS)
  const [, navigate] = useLocation()
  // Only the button ends the page: a press of "Back" by mistake would lose the secret.
  const release = useUnsaved(true, undefined, 'secret')
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    note.current?.focus()
  }, [])
  const address = `${location.origin}${serverAddresses().apiPath}/connect/token`
  const command = [
    `curl ${quoted(address)} -d grant_type=client_credentials`,
    `  -d client_id=${quoted(clientId)} -d client_secret=${quoted(clientSecret)}`,
    `  -d target_app=${targets[0] ?? 'assistant'}`,
  ].join(' \\\n')
  return (
    <>
      <PageHead title={texts.made} />
      <div ref={note} tabIndex={-1} role="status" className="people-focus">
        <Note kind="warning">{texts.secretOnce}</Note>
      </div>
      <div className="panel">
        <dl className="facts people-secret">
          <dt>{texts.id}</dt>
          <dd>
            <code>{clientId}</code> <CopyButton text={clientId} label={texts.copyId} />
          </dd>
          <dt>{texts.secret}</dt>
          <dd>
            <code>{clientSecret}</code> <CopyButton text={clientSecret} label={texts.copySecret} />
          </dd>
        </dl>
      </div>
      <section className="panel">
        <h2>{texts.curl}</h2>
        <p>{texts.curlHint}</p>
        <pre>{command}</pre>
        <CopyButton text={command} label={texts.copyCurl} />
      </section>
      <Button
        kind="primary"
        onPress={() => {
          release()
          navigate('/people/keys')
        }}
      >
        {texts.done}
      </Button>
    </>
  )
}

/** A word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
