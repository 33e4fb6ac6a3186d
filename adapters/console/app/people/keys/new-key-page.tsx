import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { BackLink } from '../../ui/back-link.js'
import { Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { useCompanies } from '../use-companies.js'
import { KeyForm } from './key-form.js'
import { KeySecret } from './key-secret.js'
import { KEY_TEXTS } from './key-texts.js'
import { useCreateKey } from './use-keys.js'

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
