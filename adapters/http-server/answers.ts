/** An answer with a JSON body. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}

/** As {@link json}, with a secret in it: nobody on the way may keep it. */
export function secretJson(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store' } })
}

/** An answer without a body. */
export function noContent(): Response {
  return new Response(null, { status: 204 })
}

/** A page for people. It loads nothing from elsewhere, and nobody may frame it. */
export function page(html: string, policy: string, status = 200): Response {
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
    },
  })
}
