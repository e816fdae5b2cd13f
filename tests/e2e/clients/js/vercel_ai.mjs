// With the argument 6: ai 6 and @ai-sdk/openai 3. With 7: ai 7 and @ai-sdk/openai 4.
import { check, refused, report } from './report.mjs'

const six = process.argv[2] === '6'
const { generateText, streamText } = await import(six ? 'ai-6' : 'ai')
const { createOpenAI } = await import(six ? 'ai-sdk-openai-3' : '@ai-sdk/openai')

globalThis.AI_SDK_LOG_WARNINGS = false
const orderly = createOpenAI({ baseURL: `${process.env.ORDERLY_URL}/v1`, apiKey: process.env.ORDERLY_TOKEN })
const tools = { file_search: orderly.tools.fileSearch({ vectorStoreIds: [process.env.ORDERLY_MATTER] }) }
const ask = (prompt, more) => generateText({ model: orderly('orderly'), tools, maxRetries: 0, ...(typeof prompt === 'string' ? { prompt } : { messages: prompt }), ...more })

async function streamed(options) {
  let text = ''
  const result = streamText({ prompt: 'Which law governs the lease?', maxRetries: 0, ...options })
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') text += part.text
  }
  check(text.includes('New South Wales'), text)
}

await report({
  async answer() {
    check((await ask('Which law governs the lease?')).text.includes('New South Wales'), 'responses')
    const chat = await generateText({
      model: orderly.chat('orderly'),
      prompt: 'Which law governs the lease?',
      providerOptions: { openai: { metadata: { matter: process.env.ORDERLY_MATTER } } },
    })
    check(chat.text.includes('New South Wales') && chat.sources[0].title === 'lease.txt', [chat.text, chat.sources])
  },
  async stream() {
    await streamed({ model: orderly('orderly'), tools })
    await streamed({ model: orderly.chat('orderly'), providerOptions: { openai: { metadata: { matter: process.env.ORDERLY_MATTER } } } })
  },
  async 'follow-up'() {
    const first = await ask('Which law governs the lease?')
    const second = await ask('How long is the term?', { providerOptions: { openai: { previousResponseId: first.providerMetadata.openai.responseId } } })
    check(second.text.includes('five (5) years'), second.text)
    for (const store of [true, false]) {
      const history = [{ role: 'user', content: 'Which law governs the lease?' }, ...first.response.messages, { role: 'user', content: 'How long is the term?' }]
      const third = await ask(history, { providerOptions: { openai: { store } } })
      check(third.text.includes('five (5) years'), third.text)
    }
  },
  async instructions() {
    const result = await ask('Which law governs the lease?', { system: 'Answer briefly.' })
    check(result.text.includes('New South Wales'), result.text)
  },
  async citations() {
    const result = await ask('Which law governs the lease?', { providerOptions: { openai: { include: ['file_search_call.results'] } } })
    check(result.sources[0].filename === 'lease.txt', result.sources)
    const [found] = result.toolResults[0].output.results
    check(found.text.includes('New South Wales') && found.attributes.page === 1, found)
  },
  async files() {
    // @ai-sdk/openai sends pictures and PDFs only; a PDF made of text is small enough to stand here.
    const file = { type: 'file', data: Buffer.from(process.env.ORDERLY_PDF, 'base64'), mediaType: 'application/pdf', filename: 'loan.pdf' }
    const content = [{ type: 'text', text: 'Which interest does the borrower pay?' }, file]
    const result = await ask([{ role: 'user', content }], { tools: undefined })
    check(result.text.includes('7 per cent'), result.text)
  },
  async refusals() {
    const filters = { type: 'eq', key: 'a', value: 'b' }
    const filtered = { file_search: orderly.tools.fileSearch({ vectorStoreIds: [process.env.ORDERLY_MATTER], filters }) }
    await refused(() => ask('x', { tools: filtered }), "no attribute 'a' to filter by")
    const unknown = { file_search: orderly.tools.fileSearch({ vectorStoreIds: ['M-1999-001'] }) }
    await refused(() => ask('x', { tools: unknown }), 'not found')
  },
})
