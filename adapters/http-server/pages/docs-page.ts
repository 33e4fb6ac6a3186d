/** The page that shows the description. It loads everything from this server. */
export function docsPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Alcove API</title>
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="description"></div>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`
}

export function docsScript(basePath: string): string {
  return `SwaggerUIBundle(${JSON.stringify({ url: `${basePath}/openapi.json`, dom_id: '#description', validatorUrl: null })})\n`
}
