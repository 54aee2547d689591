/*
 * Declarations that clang 19 understands otherwise than nvcc:
 *
 * - Deduction guides that a program declares, `Pair(A, B) -> Pair<A, B>;`, hold on both sides. Clang takes them for
 *   functions of the host, so that device code cannot use them. Where the tokens of one stand outside of functions, all
 *   that is declared up to its semicolon is for both sides. Needs the tokens as the parser gets them; a few comparisons
 *   a token.
 * - Constants of the host are the device's where device code reads them. Clang makes constant memory of each that
 *   another source could see, and tables of the host may be larger than that. As an inline variable, one is there if
 *   something of this source uses it.
 */
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"
#include "clang/Sema/SemaConsumer.h"

using namespace clang;

namespace
{

class Declarations : public SemaConsumer
{
	Sema *Actions = nullptr;
	bool Device;
	// What was seen of Name(...) -> Name
	enum { Nothing, Named, Parameters, Closed, Arrow, Guide, Ended } State = Nothing;
	const IdentifierInfo *Name = nullptr;
	unsigned Depth = 0;

	bool isOutside() const
	{
		return Actions && (Actions->CurContext->isFileContext() || Actions->CurContext->isRecord());
	}

	void begin(const Token &Next)
	{
		State = Next.is(tok::identifier) ? Named : Nothing;
		Name = Next.is(tok::identifier) ? Next.getIdentifierInfo() : nullptr;
	}

	void end()
	{
		Actions->CUDA().PopForceHostDevice();
		State = Nothing;
	}

	void seeConstants(DeclContext *Context)
	{
		for (Decl *Declared : Context->decls())
			seeConstant(Declared);
	}

	void seeConstant(Decl *Declared)
	{
		if (auto *Variable = dyn_cast<VarDecl>(Declared)) {
			auto *Constant = Variable->getAttr<CUDAConstantAttr>();
			// Of __device__ const, which other sources may read, clang says the same.
			if (Constant && Constant->isImplicit() && !Variable->hasAttr<CUDADeviceAttr>() &&
			    !Variable->isStaticDataMember())
				Variable->setImplicitlyInline();
		} else if (isa<NamespaceDecl, LinkageSpecDecl>(Declared)) {
			seeConstants(cast<DeclContext>(Declared));
		}
	}

      public:
	explicit Declarations(bool Device) : Device(Device)
	{
	}

	// Before code is made of it.
	bool HandleTopLevelDecl(DeclGroupRef Group) override
	{
		if (Device)
			for (Decl *Declared : Group)
				seeConstant(Declared);
		return true;
	}

	void InitializeSema(Sema &S) override
	{
		Actions = &S;
	}

	void ForgetSema() override
	{
		Actions = nullptr;
	}

	// The parser looks at a token before it acts on what ends with it: the guide is declared when the token behind
	// its semicolon comes.
	void see(const Token &Next)
	{
		switch (State) {
		case Nothing:
			if (Next.is(tok::identifier))
				begin(Next);
			break;
		case Named:
			if (Next.is(tok::l_paren)) {
				State = Parameters;
				Depth = 1;
			} else {
				begin(Next);
			}
			break;
		case Parameters:
			Depth += Next.is(tok::l_paren);
			Depth -= Next.is(tok::r_paren);
			if (!Depth)
				State = Closed;
			break;
		case Closed:
			if (Next.is(tok::arrow))
				State = Arrow;
			else
				begin(Next);
			break;
		case Arrow:
			if (Next.is(tok::identifier) && Next.getIdentifierInfo() == Name && isOutside()) {
				State = Guide;
				Actions->CUDA().PushForceHostDevice();
			} else {
				begin(Next);
			}
			break;
		case Guide:
			if (Next.is(tok::semi))
				State = Ended;
			else if (Next.isOneOf(tok::l_brace, tok::eof))
				end();
			break;
		case Ended:
			end();
			begin(Next);
			break;
		}
	}
};

class DeclarationsAction : public PluginASTAction
{
      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Instance, StringRef) override
	{
		auto Consumer = std::make_unique<Declarations>(bool(Instance.getLangOpts().CUDAIsDevice));
		if (Instance.getLangOpts().CUDA)
			Instance.getPreprocessor().setTokenWatcher(
				[Watcher = Consumer.get()](const Token &Next) { Watcher->see(Next); });
		return Consumer;
	}

	bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override
	{
		return true;
	}

	ActionType getActionType() override
	{
		return AddBeforeMainAction;
	}
};

FrontendPluginRegistry::Add<DeclarationsAction> Registered("heddle-declarations",
							   "declarations as nvcc understands them");

} // namespace
