//===- Layer.cpp - Between an editor and the server of MLIR ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layer.h"
#include "Completion.h"
#include "Documentation.h"
#include "Findings.h"
#include "Names.h"
#include "QuickFix.h"
#include "attn/Support/Version.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <unistd.h>

using namespace attn;
using namespace attn::lsp;
using llvm::StringRef;
namespace json = llvm::json;

/// Larger documents are weights, and would be looked at for seconds.
static constexpr size_t kMaxLookedAt = 1 << 20;
/// Passes run beside the server, on nested documents as deep as any.
static constexpr std::optional<unsigned> kStackBytes = 64 << 20;

static void putAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count <= 0)
      return;
    bytes = bytes.drop_front(count);
  }
}

Layer::Layer(llvm::lsp::JSONStreamStyle style, bool isPretty)
    : style(style), isPretty(isPretty) {
  int requests[2], answers[2];
  if (::pipe2(requests, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0)
    llvm::report_fatal_error("no pipe to the server", /*gen_crash_diag=*/false);
  editorInput = ::fdopen(::dup(STDIN_FILENO), "rb");
  editorOutput = ::dup(STDOUT_FILENO);
  ::dup2(requests[0], STDIN_FILENO);
  ::dup2(answers[1], STDOUT_FILENO);
  ::close(requests[0]);
  ::close(answers[1]);
  serverInput = requests[1];
  serverOutput = ::fdopen(answers[0], "rb");
  replies = llvm::thread(kStackBytes, [this] { passOnReplies(); });
  // It may wait for an editor that says nothing any more, and nobody for it.
  llvm::thread([this] { passOnRequests(); }).detach();
}

void Layer::finish() {
  llvm::outs().flush();
  ::close(STDOUT_FILENO);
  replies.join();
}

void Layer::passOnRequests() {
  llvm::lsp::JSONTransportInputOverFile input(editorInput, style);
  std::string text;
  while (!input.isEndOfInput() && !input.hasError()) {
    text.clear();
    if (failed(input.readMessage(text)))
      continue;
    if (llvm::Expected<json::Value> message = json::parse(text)) {
      if (const json::Object *object = message->getAsObject())
        noteRequest(*object);
    } else {
      // The server knows what to say of it.
      llvm::consumeError(message.takeError());
    }
    if (style == llvm::lsp::Delimited)
      putAll(serverInput, text + "\n// -----\n");
    else
      putAll(serverInput, "Content-Length: " + std::to_string(text.size()) +
                              "\r\n\r\n" + text);
  }
  ::close(serverInput);
}

static std::string printId(const json::Object &message) {
  const json::Value *id = message.get("id");
  if (!id)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << *id;
  return text;
}

void Layer::noteRequest(const json::Object &message) {
  StringRef method = message.getString("method").value_or("");
  const json::Object *parameters = message.getObject("params");
  const json::Object *document =
      parameters ? parameters->getObject("textDocument") : nullptr;
  std::optional<StringRef> uri =
      document ? document->getString("uri") : std::nullopt;
  if (!uri)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto addVersion = [&](const json::Object *source) {
    versions[*uri].push_back({document->getInteger("version").value_or(0),
                              source->getString("text").value_or("").str()});
  };
  if (method == "textDocument/didOpen") {
    addVersion(document);
  } else if (method == "textDocument/didChange") {
    // The server asks for the whole text each time.
    const json::Array *changes = parameters->getArray("contentChanges");
    const json::Object *last =
        changes && !changes->empty() ? changes->back().getAsObject() : nullptr;
    if (last)
      addVersion(last);
  } else if (method == "textDocument/codeAction") {
    const json::Object *about = parameters->getObject("context");
    const json::Array *diagnostics =
        about ? about->getArray("diagnostics") : nullptr;
    if (diagnostics)
      questions[printId(message)].actions = getQuickFixes(*uri, *diagnostics);
  } else if (const json::Object *position = parameters->getObject("position")) {
    questions[printId(message)] = {
        method == "textDocument/hover", uri->str(),
        unsigned(position->getInteger("line").value_or(0)),
        unsigned(position->getInteger("character").value_or(0))};
  }
}

void Layer::passOnReplies() {
  llvm::lsp::JSONTransportInputOverFile input(serverOutput);
  std::string text;
  while (!input.isEndOfInput() && !input.hasError()) {
    text.clear();
    if (failed(input.readMessage(text)))
      continue;
    llvm::Expected<json::Value> message = json::parse(text);
    if (!message) {
      llvm::consumeError(message.takeError());
      continue;
    }
    if (json::Object *object = message->getAsObject())
      addToReply(*object);
    send(*message);
  }
}

void Layer::send(const json::Value &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isPretty)
    os << llvm::formatv("{0:2}\n", message);
  else
    os << message;
  putAll(editorOutput,
         "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
}

void Layer::addToReply(json::Object &message) {
  if (message.getString("method") == "textDocument/publishDiagnostics") {
    if (json::Object *parameters = message.getObject("params"))
      addFindings(*parameters);
    return;
  }
  json::Object *result = message.getObject("result");
  if (json::Object *info = result ? result->getObject("serverInfo") : nullptr) {
    (*info)["name"] = "attn-lsp-server";
    (*info)["version"] = getVersion();
    return;
  }
  Question question;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto asked = questions.find(printId(message));
    if (message.get("method") || asked == questions.end())
      return;
    question = std::move(asked->second);
    questions.erase(asked);
  }
  if (json::Array *actions = message.getArray("result"))
    for (json::Value &action : question.actions)
      actions->push_back(std::move(action));
  if (question.isHover)
    addToHover(message, question);
  else if (result && result->getArray("items"))
    chooseCompletions(*result, question);
}

std::pair<std::string, std::string> Layer::getText(const Question &question) {
  const std::string &text = documents[question.uri];
  StringRef rest = text;
  // Editors ask for places that are not there any more, or never were.
  for (unsigned i = 0; i < question.line && !rest.empty(); ++i)
    rest = rest.split('\n').second;
  StringRef line = rest.split('\n').first;
  return {StringRef(text).drop_back(rest.size()).str(), line.str()};
}

void Layer::chooseCompletions(json::Object &result, const Question &question) {
  auto [before, line] = getText(question);
  keepWhatFits(*result.getArray("items"),
               before + line.substr(0, question.character));
}

/// The name of an op, or with its # that of an attribute, that covers a place
/// in a line, and where it begins.
static StringRef findName(StringRef line, size_t at) {
  at = std::min(at, line.size());
  size_t begin = at;
  while (begin > 0 && isNamePart(line[begin - 1]))
    --begin;
  size_t end = at;
  while (end < line.size() && isNamePart(line[end]))
    ++end;
  if (begin > 0 && line[begin - 1] == '#')
    --begin;
  return line.slice(begin, end);
}

void Layer::addToHover(json::Object &message, const Question &question) {
  std::string line = getText(question).second;
  StringRef name = findName(line, question.character);
  std::string documentation = getDocumentation(name);
  if (documentation.empty() || message.get("error"))
    return;
  unsigned begin = name.data() - line.data();
  json::Object hover;
  if (json::Object *old = message.getObject("result")) {
    hover = *old;
    if (const json::Object *contents = old->getObject("contents"))
      documentation +=
          "\n---\n\n" + contents->getString("value").value_or("").str();
  } else {
    auto at = [&](size_t character) {
      return json::Object{{"line", question.line}, {"character", character}};
    };
    hover["range"] =
        json::Object{{"start", at(begin)}, {"end", at(begin + name.size())}};
  }
  hover["contents"] = json::Object{{"kind", "markdown"},
                                   {"value", json::fixUTF8(documentation)}};
  message["result"] = std::move(hover);
}

bool Layer::takeVersion(StringRef uri, int64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  std::deque<Version> &waiting = versions[uri];
  while (!waiting.empty() && waiting.front().number < number)
    waiting.pop_front();
  if (waiting.empty() || waiting.front().number != number)
    return false;
  documents[uri] = std::move(waiting.front().text);
  waiting.pop_front();
  return true;
}

void Layer::addFindings(json::Object &parameters) {
  json::Array *diagnostics = parameters.getArray("diagnostics");
  std::optional<StringRef> uri = parameters.getString("uri");
  if (!diagnostics || !uri ||
      !takeVersion(*uri, parameters.getInteger("version").value_or(0)))
    return;
  // Passes take what is right; what is wrong has been said.
  const std::string &text = documents[*uri];
  if (diagnostics->empty() && text.size() <= kMaxLookedAt)
    *diagnostics = findInDocument(text);
}
