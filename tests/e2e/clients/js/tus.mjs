import { randomUUID } from 'node:crypto'
import * as tus from 'tus-js-client'
import { check, refused, report } from './report.mjs'

const headers = { Authorization: `Bearer ${process.env.ORDERLY_TOKEN}` }
const endpoint = `${process.env.ORDERLY_URL}/api/uploads`

const send = (filename, text, choice) =>
  new Promise((onSuccess, onError) => {
    const metadata = { filename, matter_id: process.env.ORDERLY_MATTER, if_exists: choice }
    const upload = new tus.Upload(Buffer.from(text), { endpoint, headers, metadata, chunkSize: 20, retryDelays: [0, 100, 200], onError, onSuccess: () => onSuccess(upload.url) })
    upload.start()
  })

const name = `${randomUUID()}.txt`
const content = `Clause 1. The rent of ${name} is paid monthly.`

await report({
  async files() {
    const url = await send(name, content, 'ask')
    const { document_id } = await (await fetch(url, { headers })).json()
    const document = await (await fetch(`${process.env.ORDERLY_URL}/api/documents/${document_id}`, { headers })).json()
    check(document.filename === name, document)
    const again = await (await fetch(await send(name, content, 'skip'), { headers })).json()
    check(again.document_id === document_id, again)
  },
  async refusals() {
    await refused(() => send(name, content, 'ask'), 'This content is in the matter already')
    await refused(() => send(name, `${content} And more.`, 'ask'), 'Another file of this name')
    await refused(() => send(name, content, 'perhaps'), 'if_exists is')
  },
})
