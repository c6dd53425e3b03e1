//===- Layer.h - Between an editor and the server of MLIR -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LSP_SERVER_LAYER_H
#define ATTN_LSP_SERVER_LAYER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/thread.h"
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>

namespace attn::lsp {

/// MLIR's server knows no documentation, has its own name, and cannot be
/// extended. So it talks to this layer, in place of standard input and output,
/// and what the layer has to add goes into the server's messages.
class Layer {
public:
  /// Takes the place of the editor. `style` and `isPretty` as the server uses
  /// them.
  Layer(llvm::lsp::JSONStreamStyle style, bool isPretty);
  /// Waits for the server's last message. Call it when the server is done.
  void finish();

private:
  /// A question about a place.
  struct Question {
    bool isHover = false;
    std::string uri;
    unsigned line = 0, character = 0;
    /// What is to be added where it asks what can be done.
    llvm::json::Array actions = {};
  };

  void passOnRequests();
  void passOnReplies();
  void noteRequest(const llvm::json::Object &message);
  void addToReply(llvm::json::Object &message);
  void addToHover(llvm::json::Object &message, const Question &question);
  void chooseCompletions(llvm::json::Object &message, const Question &question);
  /// The document up to the line of the question, and that line.
  std::pair<std::string, std::string> getText(const Question &question);
  void addFindings(llvm::json::Object &parameters);
  /// Goes on to the version that the server reports on; false if there is none,
  /// as after a document was closed.
  bool takeVersion(llvm::StringRef uri, int64_t number);
  void send(const llvm::json::Value &message);

  llvm::lsp::JSONStreamStyle style;
  bool isPretty;
  /// To and from the editor; to and from the server.
  std::FILE *editorInput = nullptr, *serverOutput = nullptr;
  int editorOutput = -1, serverInput = -1;
  llvm::thread replies;
  /// As the server has them: it may be behind the editor.
  llvm::StringMap<std::string> documents;
  /// Guards what follows.
  std::mutex mutex;
  struct Version {
    int64_t number = 0;
    std::string text;
  };
  /// What the server has not yet looked at, by documents.
  llvm::StringMap<std::deque<Version>> versions;
  /// Those that are not answered, by the text of their ids.
  std::map<std::string, Question> questions;
};

} // namespace attn::lsp

#endif // ATTN_LSP_SERVER_LAYER_H
