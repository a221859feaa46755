<?xml version="1.0" encoding="UTF-8"?>
<!-- A report on a page: its head, and the sections around the answer. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <xsl:template match="report" mode="head">
    <xsl:param name="heading"/>
    <xsl:if test="@digest = 'broken'">
      <p class="alarm" role="alert">The file of this report has been changed
      since it was written, its digest is broken: its numbers need not be
      the program's.</p>
    </xsl:if>
    <header class="top">
      <p class="command"><xsl:value-of select="concat('netbound ', @command)"/></p>
      <xsl:element name="{$heading}">
        <xsl:attribute name="id"><xsl:value-of select="@id"/>-name</xsl:attribute>
        <xsl:value-of select="@title"/>
      </xsl:element>
      <xsl:if test="@question != @title">
        <p class="question">
          <code>
            <xsl:call-template name="breakable">
              <xsl:with-param name="text" select="@question"/>
              <xsl:with-param name="after" select="','"/>
            </xsl:call-template>
          </code>
        </p>
      </xsl:if>
      <p class="made">
        <xsl:value-of select="../@program"/>
        <xsl:if test="made/@threads != ''">
          <xsl:value-of select="concat(' · ', made/@threads, ' thread',
                                substring('s', 1 + (made/@threads = 1)))"/>
        </xsl:if>
        <xsl:if test="made/@seconds != ''">
          <xsl:value-of select="concat(' · ', made/@seconds, ' s')"/>
        </xsl:if>
        <xsl:if test="made/@seed != ''">
          <xsl:value-of select="concat(' · seed ', made/@seed)"/>
        </xsl:if>
      </p>
    </header>
  </xsl:template>

  <!-- The sections by id; each is named only here. -->
  <xsl:template match="report">
    <xsl:variable name="answer" select="table[@kind = 'quantities' or @shown = 'yes']"/>
    <!-- Networks that fit are ranked: the ranking is the answer, not the count. -->
    <xsl:variable name="ranking" select="table[@shown = 'first']"/>
    <xsl:for-each select="note[@name = 'verdict'][count(../note[@name = 'verdict']) = 1]">
      <p class="verdict"><xsl:value-of select="."/></p>
    </xsl:for-each>
    <xsl:if test="not($ranking)">
      <xsl:apply-templates select="$answer[1]" mode="figures"/>
    </xsl:if>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Ranking</xsl:with-param>
      <xsl:with-param name="content" select="$ranking"/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Charts</xsl:with-param>
      <xsl:with-param name="content" select="chart"/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Quantities</xsl:with-param>
      <xsl:with-param name="content" select="$answer"/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Notes</xsl:with-param>
      <xsl:with-param name="content" select="note"/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Tables</xsl:with-param>
      <xsl:with-param name="content" select="table[@kind != 'quantities' and @shown = 'no']"/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Model</xsl:with-param>
      <xsl:with-param name="content" select="."/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Evidence</xsl:with-param>
      <xsl:with-param name="content" select="."/>
    </xsl:call-template>
    <xsl:call-template name="section">
      <xsl:with-param name="name">Sources</xsl:with-param>
      <xsl:with-param name="content" select="citation"/>
    </xsl:call-template>
  </xsl:template>

  <!-- A section, if it has content; its name decides what it holds. -->
  <xsl:template name="section">
    <xsl:param name="name"/>
    <xsl:param name="content"/>
    <xsl:if test="$content">
      <xsl:variable name="id" select="concat(@id, '-section-', $name)"/>
      <section id="{$id}" aria-labelledby="{$id}-name">
        <xsl:element name="{$heading}">
          <xsl:attribute name="id"><xsl:value-of select="$id"/>-name</xsl:attribute>
          <xsl:value-of select="$name"/>
        </xsl:element>
        <xsl:choose>
          <xsl:when test="$name = 'Notes'">
            <dl class="notes"><xsl:apply-templates select="$content"/></dl>
          </xsl:when>
          <xsl:when test="$name = 'Ranking'">
            <div class="parted">
              <xsl:apply-templates select="$content" mode="region"/>
              <xsl:apply-templates select="$content" mode="parts"/>
            </div>
          </xsl:when>
          <xsl:when test="$name = 'Sources'">
            <ul class="sources"><xsl:apply-templates select="$content"/></ul>
          </xsl:when>
          <xsl:when test="$name = 'Model'">
            <xsl:apply-templates select="." mode="model"/>
          </xsl:when>
          <xsl:when test="$name = 'Evidence'">
            <xsl:apply-templates select="." mode="evidence"/>
          </xsl:when>
          <xsl:otherwise>
            <xsl:apply-templates select="$content"/>
            <xsl:if test="$name = 'Quantities' and formula">
              <xsl:apply-templates select="." mode="formulas"/>
            </xsl:if>
          </xsl:otherwise>
        </xsl:choose>
      </section>
    </xsl:if>
  </xsl:template>

  <!-- Of several notes with one name the first is shown; the others unfold. -->
  <xsl:key name="notes" match="note" use="concat(../@id, ' ', @name)"/>
  <xsl:variable name="many-notes" select="4"/>

  <xsl:template match="note">
    <xsl:variable name="same" select="key('notes', concat(../@id, ' ', @name))"/>
    <xsl:choose>
      <xsl:when test="count($same) &lt; $many-notes">
        <xsl:apply-templates select="." mode="line"/>
      </xsl:when>
      <xsl:when test="generate-id() = generate-id($same[1])">
        <div>
          <dt><xsl:value-of select="concat(translate(@name, '_', ' '), @place)"/></dt>
          <dd>
            <xsl:value-of select="."/>
            <details>
              <summary>
                <xsl:value-of select="concat(count($same) - 1, ' more: ', translate(@name, '_', ' '), ' at other points')"/>
              </summary>
              <dl class="notes"><xsl:apply-templates select="$same[position() &gt; 1]" mode="line"/></dl>
            </details>
          </dd>
        </div>
      </xsl:when>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="note" mode="line">
    <div>
      <dt><xsl:value-of select="concat(translate(@name, '_', ' '), @place)"/></dt>
      <dd><xsl:value-of select="."/></dd>
    </div>
  </xsl:template>

  <xsl:template match="citation">
    <li id="{../@id}-source-{@key}"><xsl:value-of select="."/></li>
  </xsl:template>

  <!-- The question. -->
  <xsl:template match="report" mode="model">
    <dl class="options">
      <div><dt>command</dt><dd><code><xsl:value-of select="@command"/></code></dd></div>
      <xsl:for-each select="option | sweep">
        <div>
          <dt>
            <xsl:value-of select="@name"/>
            <xsl:if test="self::sweep"><span class="swept">swept</span></xsl:if>
          </dt>
          <dd><code><xsl:value-of select="@value"/></code></dd>
        </div>
      </xsl:for-each>
    </dl>
    <xsl:if test="input">
      <p>Read from these files, which <code>verify</code> compares by their
      SHA-256:</p>
      <ul class="inputs">
        <xsl:for-each select="input">
          <li><code><xsl:value-of select="@path"/></code>
          <code class="digest"><xsl:value-of select="@sha256"/></code></li>
        </xsl:for-each>
      </ul>
    </xsl:if>
  </xsl:template>

  <!-- How sure the answer is. -->
  <xsl:template match="report" mode="evidence">
    <ul class="evidence">
      <xsl:choose>
        <xsl:when test="@digest = 'fits'">
          <li class="good">The digest of the report fits its bytes.</li>
        </xsl:when>
        <xsl:when test="@digest = 'broken'">
          <li class="bad">The digest of the report is broken: the file has
          been changed since it was written.</li>
        </xsl:when>
      </xsl:choose>
      <xsl:choose>
        <xsl:when test="verified">
          <li class="good">
            <xsl:for-each select="verified">
              <xsl:if test="position() &gt; 1"><br/></xsl:if>
              <xsl:value-of select="."/>
            </xsl:for-each>
          </li>
        </xsl:when>
        <xsl:when test="@command = 'bench'">
          <li class="open">Measured once, on one machine: times cannot be
          checked.</li>
        </xsl:when>
        <xsl:otherwise>
          <li class="open">Not checked here:
          <code>netbound verify <xsl:choose>
            <xsl:when test="@file != ''"><xsl:value-of select="@file"/></xsl:when>
            <xsl:otherwise>REPORT.xml</xsl:otherwise>
          </xsl:choose></code></li>
        </xsl:otherwise>
      </xsl:choose>
    </ul>
    <xsl:choose>
      <xsl:when test="certificate">
        <p>The report carries certificates, which can be checked without the
        solver that found them:</p>
        <xsl:apply-templates select="." mode="certificates"/>
      </xsl:when>
      <xsl:when test="@command != 'bench'">
        <p>The report carries no certificate: <code>verify</code> computes
        the answer again.</p>
      </xsl:when>
    </xsl:choose>
  </xsl:template>

  <!-- The points of a sweep have certificates of the same names. -->
  <xsl:key name="certificates" match="certificate"
           use="concat(../@id, ' ', @name)"/>

  <xsl:template match="report" mode="certificates">
    <ul class="certificates">
      <xsl:for-each select="certificate">
        <xsl:variable name="same"
                      select="key('certificates', concat(../@id, ' ', @name))"/>
        <xsl:if test="generate-id() = generate-id($same[1])">
          <li>
            <code><xsl:value-of select="@name"/></code>
            <xsl:text> </xsl:text>
            <span class="count">
              <xsl:call-template name="count">
                <xsl:with-param name="number" select="sum($same/@rows)"/>
                <xsl:with-param name="noun">row</xsl:with-param>
              </xsl:call-template>
            </span>
          </li>
        </xsl:if>
      </xsl:for-each>
    </ul>
  </xsl:template>

  <!-- 1,234 rows -->
  <xsl:template name="count">
    <xsl:param name="number"/>
    <xsl:param name="noun"/>
    <xsl:value-of select="concat(format-number($number, '#,##0'), ' ', $noun)"/>
    <xsl:if test="$number != 1">s</xsl:if>
  </xsl:template>
</xsl:stylesheet>
