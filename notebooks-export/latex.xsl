<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables as LaTeX to be put into a paper by \input: those that the report
     shows, ruled as booktabs has it. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:view="urn:netbound:view" xmlns:nb="urn:netbound:style"
    exclude-result-prefixes="view nb">

  <view:wants rows="5000" charts="no" csv="no" formulas="no"/>

  <xsl:output method="text" encoding="UTF-8"/>

  <xsl:include href="parts/table_words.xsl"/>
  <xsl:include href="parts/latex_head.xsl"/>
  <xsl:include href="parts/latex_cells.xsl"/>

  <!-- More rows than that go on to the next page. -->
  <xsl:variable name="page" select="40"/>

  <xsl:template match="/view">
    <xsl:value-of select="concat('% Made by ', @program, '; needs \usepackage{booktabs}')"/>
    <xsl:if test="report/table[@shown = 'yes'][count(row) &gt; $page]">
      <xsl:text> and \usepackage{longtable}</xsl:text>
    </xsl:if>
    <xsl:text>&#10;% Sources are keys of data/references.bib: with it, say&#10;</xsl:text>
    <xsl:text>% \newcommand{\netboundsource}[2]{\cite[#2]{#1}} before.&#10;</xsl:text>
    <xsl:text>\providecommand{\netboundsource}[2]{#1, #2}&#10;</xsl:text>
    <xsl:apply-templates select="report"/>
  </xsl:template>

  <xsl:template match="report">
    <xsl:value-of select="concat('&#10;% ', normalize-space(@question), '&#10;')"/>
    <xsl:for-each select="note[@place = '']">
      <xsl:value-of select="concat('% ', @name, ': ', normalize-space(.), '&#10;')"/>
    </xsl:for-each>
    <xsl:apply-templates select="table[@shown = 'yes'][row]"/>
  </xsl:template>

  <xsl:template match="table">
    <xsl:variable name="kinds">
      <xsl:apply-templates select="column" mode="kind"/>
    </xsl:variable>
    <xsl:variable name="caption"><xsl:apply-templates select="." mode="caption"/></xsl:variable>
    <xsl:variable name="label"><xsl:apply-templates select="." mode="label"/></xsl:variable>
    <xsl:variable name="titled"
        select="concat('\caption{', nb:latex($caption), '}\label{tab:', $label, '}')"/>
    <xsl:variable name="head">
      <xsl:apply-templates select="." mode="head">
        <xsl:with-param name="kinds" select="$kinds"/>
      </xsl:apply-templates>
    </xsl:variable>
    <xsl:variable name="size">
      <xsl:apply-templates select="." mode="size">
        <xsl:with-param name="kinds" select="$kinds"/>
      </xsl:apply-templates>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="count(row) &gt; $page">
        <xsl:value-of select="concat('{', $size, '%&#10;\begin{longtable}{')"/>
        <xsl:call-template name="columns">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:call-template>
        <xsl:value-of select="concat('}&#10;  ', $titled, '\\[\smallskipamount]&#10;',
                              $head, '  \endfirsthead&#10;', $head,
                              '  \endhead&#10;  \bottomrule&#10;  \endlastfoot&#10;')"/>
        <xsl:apply-templates select="row">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:apply-templates>
        <xsl:text>\end{longtable}%&#10;}&#10;</xsl:text>
        <xsl:apply-templates select="." mode="foot"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="concat('\begin{table}&#10;  \centering&#10;  ', $titled,
                              '\par\smallskip&#10;')"/>
        <xsl:if test="$size != ''">
          <xsl:value-of select="concat('  ', $size, '&#10;')"/>
        </xsl:if>
        <xsl:text>  \begin{tabular}{</xsl:text>
        <xsl:call-template name="columns">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:call-template>
        <xsl:value-of select="concat('}&#10;', $head)"/>
        <xsl:apply-templates select="row">
          <xsl:with-param name="kinds" select="$kinds"/>
        </xsl:apply-templates>
        <xsl:text>  \bottomrule&#10;  \end{tabular}&#10;</xsl:text>
        <xsl:apply-templates select="." mode="foot"/>
        <xsl:text>\end{table}&#10;</xsl:text>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Where several options are swept, the first parts the rows. -->
  <xsl:template match="row">
    <xsl:param name="kinds"/>
    <xsl:if test="../column[2]/@swept and
                  preceding-sibling::row[1]/cell[1] != cell[1]">
      <xsl:text>  \addlinespace&#10;</xsl:text>
    </xsl:if>
    <xsl:text>  </xsl:text>
    <xsl:for-each select="cell">
      <xsl:variable name="place" select="position()"/>
      <xsl:variable name="kind" select="substring($kinds, $place, 1)"/>
      <xsl:if test="$kind != '0'">
        <xsl:if test="translate(substring($kinds, 1, $place - 1), '0', '') != ''"> &amp; </xsl:if>
        <xsl:apply-templates select="." mode="set">
          <xsl:with-param name="kind" select="$kind"/>
        </xsl:apply-templates>
      </xsl:if>
    </xsl:for-each>
    <xsl:text> \tabularnewline&#10;</xsl:text>
  </xsl:template>

  <!-- Below a table: what is left out, and what its numbers rest on. -->
  <xsl:template match="table" mode="foot">
    <xsl:if test="@rows &gt; count(row) or source">
      <xsl:text>  \par\smallskip{\footnotesize\centering </xsl:text>
      <xsl:if test="@rows &gt; count(row)">
        <xsl:value-of select="concat('The first ', count(row), ' of ', @rows, ' rows. ')"/>
      </xsl:if>
      <xsl:for-each select="source">
        <xsl:choose>
          <xsl:when test="position() = 1 and last() = 1">Source: </xsl:when>
          <xsl:when test="position() = 1">Sources: </xsl:when>
          <xsl:otherwise>; </xsl:otherwise>
        </xsl:choose>
        <xsl:call-template name="source">
          <xsl:with-param name="text" select="string(.)"/>
        </xsl:call-template>
      </xsl:for-each>
      <xsl:text>\par}&#10;</xsl:text>
    </xsl:if>
  </xsl:template>

  <!-- Key, place: a key ends in a year. Of several the first is enough to
       tell them from words. -->
  <xsl:template name="source">
    <xsl:param name="text"/>
    <xsl:variable name="key" select="substring-before($text, ', ')"/>
    <xsl:variable name="year" select="substring($key, string-length($key) - 3)"/>
    <xsl:choose>
      <xsl:when test="string-length($key) &gt; 4 and not(contains($text, ';'))
                      and not(contains($key, ' ')) and
                      translate($year, '0123456789', '') = ''">
        <xsl:value-of select="concat('\netboundsource{', nb:latex($key), '}{',
                              nb:latex(substring-after($text, ', ')), '}')"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="nb:latex($text)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The file's name or else the title, in letters, digits and dashes. -->
  <xsl:template match="table" mode="label">
    <xsl:variable name="name">
      <xsl:choose>
        <xsl:when test="../@file != ''">
          <xsl:call-template name="base">
            <xsl:with-param name="path" select="../@file"/>
          </xsl:call-template>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="normalize-space(../@title)"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="low" select="translate($name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ _',
                                     'abcdefghijklmnopqrstuvwxyz--')"/>
    <xsl:variable name="plain"
        select="translate($low, translate($low, 'abcdefghijklmnopqrstuvwxyz0123456789-', ''), '')"/>
    <xsl:variable name="short" select="substring(concat($plain, substring(../@command, 1 div ($plain = ''))), 1, 50)"/>
    <xsl:variable name="most" select="string-length($short)"/>
    <xsl:value-of select="substring($short, 1, $most - (substring($short, $most) = '-'))"/>
    <xsl:variable name="number" select="count(preceding-sibling::table[@shown = 'yes'][row])"/>
    <xsl:if test="$number &gt; 0">
      <xsl:value-of select="concat('-', $number + 1)"/>
    </xsl:if>
  </xsl:template>

  <!-- a/b.c/table.xml: table -->
  <xsl:template name="base">
    <xsl:param name="path"/>
    <xsl:choose>
      <xsl:when test="contains($path, '/')">
        <xsl:call-template name="base">
          <xsl:with-param name="path" select="substring-after($path, '/')"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="substring($path, string-length($path) - 3) = '.xml'">
        <xsl:value-of select="substring($path, 1, string-length($path) - 4)"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$path"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
