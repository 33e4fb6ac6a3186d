import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useSearchParams } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote, Note } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { CompanyChoice } from '../company-choice.js'
import { useCompanies } from '../use-companies.js'
import { USER_TEXTS } from '../user-texts.js'
import { UserChoice } from './user-choice.js'

/** Gives the GPTs of a deleted user to another one: at `/people/users/3/hand-over?company=1`. */
export function HandOverPage({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const api = useApi()
  const [search] = useSearchParams()
  const { data: companies } = useCompanies()
  const [chosenCompany, setChosenCompany] = useState<number>()
  const [toUserId, setToUserId] = useState<number>()
  const release = useUnsaved(toUserId !== undefined)
  const handOver = useMutation({
    mutationFn: async (to: number) => {
      const options = { params: { path: { id } }, body: { toUserId: to } }
      return await dataOf(api.POST('/tenant/user/{id}/hand-over', options))
    },
    onSuccess: () => release(),
  })
  const ofUser = Number(search.get('company'))
  const companyId = chosenCompany ?? companies?.get(ofUser)?.id ?? companies?.root?.id
  const submit = (): void => {
    if (toUserId !== undefined) handOver.mutate(toUserId)
  }
  if (handOver.data !== undefined) {
    return (
      <>
        <PageHead title={texts.handOverPage} />
        <div role="status">
          <Note kind="success">{texts.handedOver(handOver.data.contextIds.length)}</Note>
        </div>
        <ButtonLink href="/people">{texts.back}</ButtonLink>
      </>
    )
  }
  return (
    <>
      <PageHead title={texts.handOverPage} />
      <Note kind="success">{texts.handOverTitle}.</Note>
      <p>{texts.handOverText}</p>
      <Form onSubmit={submit} className="people-form">
        <CompanyChoice
          value={companyId}
          onChange={(company) => {
            setChosenCompany(company)
            setToUserId(undefined)
          }}
        />
        {companyId !== undefined && (
          <UserChoice
            key={companyId}
            label={texts.handOverTo}
            companyId={companyId}
            value={toUserId}
            onChange={(user) => setToUserId(user.id)}
            without={id}
          />
        )}
        <ErrorNote error={handOver.error} />
        <div className="actions">
          <Button type="submit" kind="primary" isPending={handOver.isPending}>
            {texts.handOver}
          </Button>
          <ButtonLink href="/people">{texts.notNow}</ButtonLink>
        </div>
      </Form>
    </>
  )
}
